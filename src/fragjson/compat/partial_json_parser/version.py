"""The version of partial-json-parser whose behaviour this is."""

__version__ = "0.2.1.1.post7"
