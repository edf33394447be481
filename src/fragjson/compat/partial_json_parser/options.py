"""``Allow`` and its members by name, where older programs import them from."""

from fragjson.compat.partial_json_parser.core.options import *  # noqa: F403
from fragjson.compat.partial_json_parser.core.options import __all__  # noqa: F401
