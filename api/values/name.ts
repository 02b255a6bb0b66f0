// What people write to know agents and API keys again in lists: names, and descriptions.

// Notes that people attach to an act, for those who read the history later.

const NOTE = /^[^\p{C}\s](?:[^\p{C}]{0,498}[^\p{C}\s])?$/u

/** What `isNote` accepts, for messages. */
export const NOTE_FORM = '1 to 500 printable characters without spaces around them'

export const isNote = (text: string): boolean => NOTE.test(text)

const NAME = /^[^\p{C}\s](?:[^\p{C}]{0,98}[^\p{C}\s])?$/u
const DESCRIPTION = /^[^\p{C}\s](?:[^\p{C}]{0,998}[^\p{C}\s])?$/u

/** What `isName` accepts, for messages. */
export const NAME_FORM = '1 to 100 printable characters without spaces around them'

/** What `isDescription` accepts, for messages. */
export const DESCRIPTION_FORM = '1 to 1000 printable characters without spaces around them'

export const isName = (text: string): boolean => NAME.test(text)

const NAME_PART = /^[^\p{C}]{1,100}$/u

/** What `isNamePart` accepts, for messages. */
export const NAME_PART_FORM = '1 to 100 printable characters, not spaces alone'

/** Whether a text may be searched for: a part of a name may begin and end in a space, which a name may not. */
export const isNamePart = (text: string): boolean => NAME_PART.test(text) && text.trim() !== ''

/** Which character makes a text unprintable, for a message: people see neither a joiner of emoji nor a space of no width. Empty if none does. */
export const unprintableIn = (text: string): string => {
  const found = /\p{C}/u.exec(text)
  if (found === null) return ''
  const code = found[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
  return `: character ${Array.from(text.slice(0, found.index)).length + 1} is U+${code}, which cannot be seen`
}

export const isDescription = (text: string): boolean => DESCRIPTION.test(text)

/** By name, so that the same members are one text. */
export const sortMembers = <T>(members: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1)))
