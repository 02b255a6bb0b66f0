// Public keys in JSON (RFC 7517): members that none may have.

/** Members of private and of shared keys (RFC 7518 §6, RFC 8037 §2), and `priv` of ML-DSA. */
export const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

export const hasPrivateMember = (jwk: object): boolean => PRIVATE_MEMBERS.some(name => Object.hasOwn(jwk, name))
