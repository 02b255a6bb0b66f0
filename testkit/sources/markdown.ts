// Reads a document: the ids of its headings and the targets of its links.

/** Fenced and indented blocks are no text. An indented block stands behind an empty line; else it continues a paragraph or a list. */
const withoutBlocks = (text: string): string =>
  text.replaceAll(/^( *)(`{3,})[^\n]*\n[\s\S]*?^ *\2`*$/gm, '').replaceAll(/(?<=\n\n)(?: {4}[^\n]*(?:\n|$))+/g, '')

/** The id of a heading, as GitHub makes it: lower case, punctuation removed, a hyphen for each space. site/ is configured to make the same. */
export const headingIdOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-')

/** The ids of the headings of a Markdown text, in order; a repeated one has `-1`, `-2` and so on at its end. */
export const headingIdsOf = (text: string): readonly string[] => {
  const seen = new Map<string, number>()
  return [...withoutBlocks(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const id = headingIdOf(heading)
    const count = seen.get(id) ?? 0
    seen.set(id, count + 1)
    return count === 0 ? id : `${id}-${count}`
  })
}

/** The targets of the links and images of a Markdown text, in order. */
export const linksOf = (text: string): readonly string[] =>
  [
    ...withoutBlocks(text)
      .replaceAll(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^()\s]+)\)/g),
  ].map(([, target = '']) => target)
