// What people write to know agents and API keys again in lists: names, and descriptions.

const NAME = /^[^\p{C}\s](?:[^\p{C}]{0,98}[^\p{C}\s])?$/u
const DESCRIPTION = /^[^\p{C}\s](?:[^\p{C}]{0,998}[^\p{C}\s])?$/u

/** What `isName` accepts, for messages. */
export const NAME_FORM = '1 to 100 printable characters without spaces around them'

/** What `isDescription` accepts, for messages. */
export const DESCRIPTION_FORM = '1 to 1000 printable characters without spaces around them'

export const isName = (text: string): boolean => NAME.test(text)

export const isDescription = (text: string): boolean => DESCRIPTION.test(text)
