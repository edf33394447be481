"""The modules of the original's ``core``, for those who import from them."""
