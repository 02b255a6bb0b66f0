"""Whether the caller of a request holds the key that its token is bound to."""
