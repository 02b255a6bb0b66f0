// Notes that people attach to an act, for those who read the history later.

const NOTE = /^[^\p{C}\s](?:[^\p{C}]{0,498}[^\p{C}\s])?$/u

/** What `isNote` accepts, for messages. */
export const NOTE_FORM = '1 to 500 printable characters without spaces around them'

export const isNote = (text: string): boolean => NOTE.test(text)
