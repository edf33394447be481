"""The original's exception names: this package's own errors, which are ``json``'s errors, too.

So ``except PartialJSON``, ``except MalformedJSON``, ``except JSONDecodeError`` (either one's) and
``except ValueError`` all catch what they did.
"""

from fragjson._errors import IncompleteJSONError as PartialJSON
from fragjson._errors import JSONDecodeError
from fragjson._errors import MalformedJSONError as MalformedJSON

__all__ = ["JSONDecodeError", "MalformedJSON", "PartialJSON"]
