// The names in the audit log: kinds of acts, kinds of actors, and what was presented by a refused caller.

export const ACT_KINDS = [
  'agent.change',
  'agent.create',
  'agent.delete',
  'agent.disable',
  'agent.enable',
  'agent.import',
  'api_key.create',
  'api_key.revoke',
  'api_key.rotate',
  'clock.reset',
  'credential.convert',
  'credential.create',
  'credential.revoke',
  'credential.rotate',
  'issuer.change',
  'issuer.create',
  'issuer.delete',
  'issuer.disable',
  'issuer.enable',
  'revocation.create',
  'session.create',
  'session.end',
  'signing_key.compromise',
  'signing_key.create',
  'signing_key.drop',
  'signing_key.import',
  'signing_key.reencrypt',
  'signing_key.retire',
  'signing_key.rotate',
  'store.accept',
  'store.backup',
  'store.restore',
  'subject.block',
  'subject.unblock',
  'token.revoke',
  'token.supersede',
] as const

export type ActKind = (typeof ACT_KINDS)[number]

/** `issuer`: a trusted one, by its JWT. */
export const ACTOR_TYPES = ['operator', 'client', 'api_key', 'issuer', 'cli', 'system'] as const

/**
 * What the caller presented: a client's secret (or a client authentication that there is not), an API key, a JWT. `limit` is
 * a client that is known, and asked for more tokens than it may have: an agent that runs away.
 */
export const WAYS = ['client', 'api_key', 'operator', 'limit'] as const

export type Way = (typeof WAYS)[number]

/**
 * What happened to the first entry that differs from its seal. `cut_off`: it and all later ones are gone. `unsealed`: its seal
 * is gone, or the service did not make it.
 */
export const TAMPERINGS = ['changed', 'removed', 'added', 'cut_off', 'unsealed'] as const

export type Tampering = (typeof TAMPERINGS)[number]

/** The results of checking one part of the audit log against its seals. */
export const SEAL_STATES = ['good', 'more', 'broken'] as const
