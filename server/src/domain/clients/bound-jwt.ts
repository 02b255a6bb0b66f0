// JWTs of other issuers that are bound to a key by `cnf` (RFC 7800): who holds the text alone may not use it.

/** Why the JWT is not taken; undefined where it is bound to no key. No binding is proved here, whatever `cnf` holds (RFC 9449 §7.2, RFC 8705 §3). */
export const bindingFault = (claims: Readonly<Record<string, unknown>>): string | undefined =>
  Object.hasOwn(claims, 'cnf') ? 'it is bound to a key (cnf): send one that is bound to none' : undefined
