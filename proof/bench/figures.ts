// Turns many measurements into a figure, and figures into tables that read the same in a terminal and in Markdown.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** The value below which this share of the sorted values lies. */
export const quantile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return Number.isInteger(middle)
    ? (quantile(sorted, 0.5) + (sorted[middle - 1] ?? Number.NaN)) / 2
    : quantile(sorted, 0.5)
}

/** Three significant digits, or a whole number; a dash for what could not be measured. */
export const format = (value: number): string => {
  if (Number.isNaN(value)) return '–'
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
}

export const percent = (share: number): string => (Number.isNaN(share) ? '–' : `${Math.round(share * 100)} %`)

export type Row = readonly (string | number)[]

/** A Markdown table, its columns aligned: text to the left, numbers to the right. */
export const formatTable = (titles: readonly string[], rows: readonly Row[]): string => {
  const cells = rows.map(row => row.map(cell => (typeof cell === 'number' ? format(cell) : cell)))
  const isNumeric = titles.map(
    (_, n) => n > 0 && rows.every(row => typeof row[n] === 'number' || /^[\d–]/.test(String(row[n]))),
  )
  const widths = titles.map((title, n) => Math.max(3, title.length, ...cells.map(row => row[n]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, n) => (isNumeric[n] ? cell.padStart(widths[n] ?? 0) : cell.padEnd(widths[n] ?? 0))).join(' | ')} |`
  const rule = `| ${widths.map((width, n) => (isNumeric[n] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width))).join(' | ')} |`
  return [line(titles), rule, ...cells.map(line)].join('\n')
}

type Report = { readonly title: string; readonly facts: readonly string[]; readonly tables: readonly string[] }

const PATH = resolve(import.meta.dirname, 'RESULTS.md')
const HEADING = '# Results\n\nWhat the last run of each command of [README.md](README.md) printed with `--record`.\n'

/** What a section is about: its heading may end with a date. */
const subjectOf = (heading: string): string => heading.replace(/, \d{4}-.*/, '')

/** The results with this section in place of the earlier one of its subject. */
const withSection = (results: string, title: string, text: string): string => {
  const [head, ...sections] = results.split(/\n(?=## )/)
  const others = sections.filter(section => subjectOf(section.split('\n')[0] ?? '') !== subjectOf(`## ${title}`))
  return [head, ...others, `## ${title}\n\n${text}\n`].join('\n')
}

/** Prints a report, and with `record` keeps it in RESULTS.md. */
export const publish = ({ title, facts, tables }: Report, record: boolean): void => {
  const text = [facts.map(fact => `- ${fact}`).join('\n'), ...tables].join('\n\n')
  console.log(text)
  if (!record) return
  writeFileSync(PATH, withSection(existsSync(PATH) ? readFileSync(PATH, 'utf8') : HEADING, title, text))
  console.log(`\nKept in ${PATH}.`)
}
