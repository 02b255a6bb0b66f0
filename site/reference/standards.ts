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

const OPEN = ['no', 'partly', 'operator', 'chosen']

/** What no standard's table calls met, in one list, in Markdown. */
export const writeNotMet = (): string => {
  const rows = STANDARDS.flatMap(({ id, title, sections }) =>
    sections.flatMap(section => section.rows.map(row => ({ ...row, standard: `[${title}](${id}.md)` }))),
  )
  const sectionsOf = OPEN.map(met => {
    const lines = rows.filter(row => row.met === met)
    return `## ${met}\n\n| standard | requirement | how |\n|---|---|---|\n${lines
      .map(({ standard, name, how }) => `| ${standard} | ${name} | ${how} |`)
      .join('\n')}\n`
  })
  return `# What is not met

Every requirement of the tables that is not met (no), met in part (partly), depends on the deployment (operator), or must be switched on (chosen).
[Check Mintmark against standards](../security/standards.md) says what the words mean.

${sectionsOf.join('\n')}`
}
