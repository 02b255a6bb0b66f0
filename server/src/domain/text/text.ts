// Text that every store gives back as it was given.

/**
 * PostgreSQL refuses a NUL in a text, and with it the whole statement. Half of a surrogate pair is no UTF-8: it would be
 * kept as U+FFFD, which is another text.
 */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')
