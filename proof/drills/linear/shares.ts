// What a client does how often, and how long it waits.

export const REVOKE_SHARE = 0.12
/** So many operations are on the token whose revocation was sent last: around it a stale answer shows. */
export const HOT_SHARE = 0.3
export const SHORT_LIVED_SHARE = 0.03
/** Of the looks at a token that has ended, so many free its place. */
export const RETIRE_SHARE = 0.15
/** Of the operations, so many look at a token that ended a while ago: a fail-over may have brought it back. */
export const OLD_SHARE = 0.03
export const EARLIER_MAX = 2000
/** Of the revocations whose outcome is not known, so many are asked for again at once. */
export const REPEAT_SHARE = 0.6
/** Of the operations on a token that is there, so many exchange it, and so many of all look at, exchange or revoke what was got so. */
export const EXCHANGE_SHARE = 0.05
/** Of those, so many are made so often that not all descendants follow the end of the token at once. */
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
