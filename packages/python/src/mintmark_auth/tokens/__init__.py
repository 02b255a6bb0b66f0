"""How a token is read and verified: claims, the key set of the issuer, signatures, introspection; and what is cached."""
