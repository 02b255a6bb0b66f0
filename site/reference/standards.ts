// The references that hold the service against standards: the rows of standards.json, which names for each the tests that show it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Test = { readonly test: string; readonly title: string | null }

export type Requirement = {
  readonly name: string
  readonly met: string
  readonly how: string
  readonly by: readonly Test[]
}

type Section = { readonly title: string; readonly intro?: string; readonly rows: readonly Requirement[] }

export type Standard = {
  readonly id: string
  readonly title: string
  readonly intro: string
  readonly sections: readonly Section[]
}

const FILE = join(import.meta.dirname, 'standards.json')

export const STANDARDS = (JSON.parse(readFileSync(FILE, 'utf8')) as { readonly standards: readonly Standard[] }) // our own file, which a test reads
  .standards

const testOf = ({ test, title }: Test): string => `\`${test}\`${title === null ? '' : `: “${title}”`}`

const rowOf = ({ name, met, how, by }: Requirement): string =>
  `| ${name} | ${met} | ${how} | ${by.map(testOf).join('; ')} |`

const sectionOf = ({ title, intro, rows }: Section): string => `## ${title}
${intro === undefined ? '' : `\n${intro}\n`}
| requirement | met | how | tests |
|---|---|---|---|
${rows.map(rowOf).join('\n')}
`

/** The page of one standard, in Markdown. */
export const writeStandard = ({ title, intro, sections }: Standard): string =>
  `# ${title}\n\n${intro}\n\n${sections.map(sectionOf).join('\n')}`
