// ASCII letters without their case, as the search of agents compares them.

/** Other letters stay as they are: what their case is depends on a language. */
export const toLowerAscii = (text: string): string => text.replace(/[A-Z]/g, letter => letter.toLowerCase())
