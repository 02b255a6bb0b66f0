// How many columns of a terminal a printable text takes.

const MARK = /^[\p{M}]$/u
/** Two columns each: the scripts of East Asia, their punctuation and full-width forms, and emoji. */
const WIDE =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]$/u

/** One column each: nearly every text. */
const NARROW = /^[\x20-\x7e]*$/

/** In columns. */
export const textWidth = (text: string): number => {
  if (NARROW.test(text)) return text.length
  let width = 0
  for (const character of text) width += MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}

/** Filled with spaces to so many columns where it takes fewer. */
export const padText = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - textWidth(text)))
