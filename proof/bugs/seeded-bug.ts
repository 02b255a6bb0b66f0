// A seeded bug: a defect, as a replacement of text, the promise that it breaks, and the test that must find it.

export type SeededBug = {
  /** A name in kebab-case that no other bug has. */
  readonly name: string
  /** What is wrong, in a sentence. */
  readonly bug: string
  /** The promise that it breaks. */
  readonly breaks: string
  /** The file that it changes, from the top of the repository. */
  readonly file: string
  /** What stands there once, and nowhere else in the file. */
  readonly from: string
  readonly to: string
  /** The file of the test that finds it. */
  readonly test: string
  /** A part of the test's title, as its file writes it. */
  readonly title: string
  /** Which store the test is about; SQLite unless it is said. */
  readonly store?: 'postgres'
}
