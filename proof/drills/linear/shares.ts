// What a client does how often, and how long it waits.

export const REVOKE_SHARE = 0.12
/** The share of operations on the token whose revocation was sent last: around it a stale answer shows. */
export const HOT_SHARE = 0.3
export const SHORT_LIVED_SHARE = 0.03
/** The share of looks at an ended token that free its place. */
export const RETIRE_SHARE = 0.15
/** The share of operations that look at a token that ended a while ago: a fail-over may have brought it back. */
export const OLD_SHARE = 0.03
export const EARLIER_MAX = 2000
/** The share of revocations with an unknown outcome that are repeated at once. */
export const REPEAT_SHARE = 0.6
/** The share of operations on a present token that exchange it, and of all that look at, exchange or revoke a descendant. */
export const EXCHANGE_SHARE = 0.05
/** The share of those that come in such a burst that not all descendants follow the end of the token at once. */
export const BURST_SHARE = 0.02
export const BURST_EXCHANGES = 80
export const EXAMINED_AFTER = 6
export const DESCENDANT_SHARE = 0.2
export const DESCENDANT_EXCHANGED_SHARE = 0.2
export const DESCENDANT_REVOKED_SHARE = 0.05
export const RECONNECT_MS = 20
/** A process that refuses at once must not use up the operations. */
export const AFTER_ERROR_MS = 100
export const UNREACHABLE_MS_MAX = 180_000
