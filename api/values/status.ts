// What the state of the service names of what ends by itself.

/** What expires sooner is counted, and listed. */
export const EXPIRING_DAYS = 7

/** Credentials and API keys that the list names. */
export const EXPIRING_MAX = 100
