// Client ids. Those that the service makes are UUIDs; those that are imported stay as they were.

/** RFC 6749 Appendix A.1, with a bound, and no spaces around it. */
const CLIENT_ID = /^[\x21-\x7E](?:[\x20-\x7E]{0,253}[\x21-\x7E])?$/

export const isClientId = (text: string): boolean => CLIENT_ID.test(text)
