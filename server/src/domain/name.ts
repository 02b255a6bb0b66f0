// Names that people give to agents and API keys, to know them again in lists.

const NAME = /^[^\p{C}\s](?:[^\p{C}]{0,98}[^\p{C}\s])?$/u

/** What `isName` accepts, for messages. */
export const NAME_FORM = '1 to 100 printable characters without spaces around them'

export const isName = (text: string): boolean => NAME.test(text)
