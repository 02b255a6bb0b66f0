// Reads a document: the ids of its headings, the targets of its links, and its blocks of code.

/** The pages that people read who use or run Mintmark. */
export const USERS_PAGES = '{README.md,docs/{agents,apis,manage,run,security,start}/*.md}'

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

/** A comment that names a file, and the block of code below it, which is a copy of that file. */
export const COPY = /<!-- (?<path>[\w./-]+) -->\n\n```(?<language>\w+)\n[^]*?\n```/g

const BLOCK =
  /^(?:<!-- not run: (?<reason>[^\n]+) -->\n)?(?<fence>`{3,})(?<language>\w*)[^\n]*\n(?<code>[^]*?)^\k<fence>$/gm

export type Block = {
  readonly language: string
  readonly code: string
  /** Why no test runs it, as the page says; undefined: it does not say that. */
  readonly notRun: string | undefined
}

/** The fenced blocks of a page that are copies of no file, in order. */
export const blocksOf = (text: string): readonly Block[] =>
  [...text.replaceAll(COPY, '').matchAll(BLOCK)].map(({ groups }) => ({
    language: groups?.['language'] ?? '',
    code: groups?.['code'] ?? '',
    notRun: groups?.['reason'],
  }))

/** How many words of a page somebody wrote: copies of files, and transcripts that a test compares, do not count. */
export const wordsIn = (text: string): number =>
  text
    .replaceAll(COPY, '')
    .replaceAll(/^```console\n[^]*?^```$/gm, '')
    .split(/\s+/)
    .filter(Boolean).length
