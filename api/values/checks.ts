// The checks of `mintmark doctor`, in the order in which they are printed. Their names are public and never change.

export const CHECK_NAMES = [
  'configuration',
  'versions',
  'private_files',
  'disk_space',
  'open_files',
  'tls_certificate',
  'reloaded_files',
  'trusted_proxies',
  'store',
  'schema',
  'collation',
  'clock',
  'key_encryption_key',
  'suspensions',
  'identity_providers',
  'trusted_issuers',
  'service',
] as const

export type CheckName = (typeof CHECK_NAMES)[number]

/** From the best to the worst. */
export const CHECK_STATUSES = ['ok', 'warning', 'problem'] as const

export type CheckStatus = (typeof CHECK_STATUSES)[number]

/** What a service made of the address that a request says it was forwarded for. */
export const FORWARDED_STATES = ['believed', 'ignored', 'test_address_believed'] as const

export type ForwardedState = (typeof FORWARDED_STATES)[number]
