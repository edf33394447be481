"""The streams of the vendors that the package knows, written for tests: ``WRITERS``, by name.

They are what the vendors document and send when all goes well. What goes wrong is the business of
``faults``; what single servers get wrong, of the tests of their adapters.
"""

from fragjson.testing.writers.frameworks import AGUI, AGUIChunks, LangChain, VercelUI
from fragjson.testing.writers.google import (
    Gemini,
    GeminiInteractions,
    GeminiLive,
    GeminiValues,
)
from fragjson.testing.writers.openai import (
    Groq,
    Mistral,
    MistralConversations,
    OpenAIChat,
    OpenAIRealtime,
    OpenAIResponses,
)
from fragjson.testing.writers.others import (
    Anthropic,
    BedrockConverse,
    BedrockInvoke,
    Cohere,
    Ollama,
)
from fragjson.testing.writing import Writer

__all__ = ["WRITERS"]

WRITERS: dict[str, Writer] = {
    "ag_ui": AGUI(),
    "ag_ui_chunks": AGUIChunks(),
    "anthropic": Anthropic(),
    "bedrock": BedrockConverse(),
    "bedrock_invoke": BedrockInvoke(),
    "cohere": Cohere(),
    "gemini": Gemini(),
    "gemini_interactions": GeminiInteractions(),
    "gemini_live": GeminiLive(),
    "gemini_values": GeminiValues(),
    "groq": Groq(),
    "langchain": LangChain(),
    "mistral": Mistral(),
    "mistral_conversations": MistralConversations(),
    "ollama": Ollama(),
    "openai_chat": OpenAIChat(),
    "openai_realtime": OpenAIRealtime(),
    "openai_responses": OpenAIResponses(),
    "vercel_ui": VercelUI(),
}
"""One for each vendor, and one more for vendors that have two ways to say it."""
