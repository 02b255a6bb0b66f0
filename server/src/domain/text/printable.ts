// Texts for a terminal, or for a file that somebody shows on one: without the characters that a terminal obeys or hides.

/**
 * Control characters, of eight bits too; format characters, which turn the direction of writing or have no width; line
 * breaks of Unicode; halves of surrogate pairs, for which U+FFFD would be written.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

/** Escapes a character as JSON does: above U+FFFF as two units (RFC 8259 §7). */
const escape = (character: string): string =>
  character
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/** The text with each such character as its JSON escape. */
export const printable = (text: string): string => text.replaceAll(UNPRINTABLE, escape)

/** Makes each line printable of a text that the program itself makes. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n')
