// Where a request came from, as the audit log and the counts of refused attempts name it.

/** A connection that its client has reset has no address any more. */
export const UNKNOWN_SOURCE = 'unknown'

/** An IPv4 or IPv6 address as text, or {@link UNKNOWN_SOURCE}. No other text is one: `undefined` never reaches a store. */
export type Source = `${string}.${string}` | `${string}:${string}` | typeof UNKNOWN_SOURCE
