// How commands print: JSON with the names of the wire, or lines for people. What a terminal would obey is never printed.
import { printable, printableLines } from '../../domain/text/text.ts'
import { layOutRecord, layOutTable } from './table.ts'

/** One line, or several that the program itself makes. */
export const printLine = (text: string): void => void process.stdout.write(`${printableLines(text)}\n`)

/** On standard error, for a command whose standard output is what it made. */
export const printRemark = (text: string): void => void process.stderr.write(`${printableLines(text)}\n`)

/** On standard error, as a failure of the command. */
export const printError = (text: string): void => void process.stderr.write(`mintmark: ${printableLines(text)}\n`)

/** Inside a text of JSON the escapes mean what they replace. */
export const printJson = (value: unknown): void => printLine(JSON.stringify(value))

export type PrintedRecord = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is PrintedRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const areRecords = (value: unknown): value is readonly PrintedRecord[] =>
  Array.isArray(value) && value.every(isRecord)

const formatActor = (actor: PrintedRecord): string => {
  const { type, iss, sub, id, name } = actor
  if (type === 'operator') return `operator ${String(sub)} of ${String(iss)}`
  if (type === 'system') return 'the service'
  const named = typeof name === 'string' ? ` (${name})` : ''
  return `${String(type)} ${String(id)}${named}`
}

/** A count that is not exact ends with a plus. */
const formatRecordCount = ({ count, exact }: PrintedRecord): string => `${String(count)}${exact === true ? '' : '+'}`

/** What stands inside of a cell: not taken apart any further. */
const formatPart = (value: unknown): string => printable(typeof value === 'string' ? value : JSON.stringify(value))

const formatPairs = (value: PrintedRecord): string =>
  Object.entries(value)
    .map(([key, each]) => `${printable(key)}=${formatPart(each)}`)
    .join(' ')

const formatObject = (value: PrintedRecord): string => {
  if ('agent_id' in value && typeof value['agent_name'] === 'string')
    return printable(`${String(value['agent_id'])} (${value['agent_name']})`)
  // A subject of an issuer, as the claim `sub` has it.
  if ('issuer' in value && 'iss' in value && 'sub' in value)
    return printable(`${String(value['issuer'])}:${String(value['sub'])} (${String(value['iss'])})`)
  if ('type' in value) return printable(formatActor(value))
  if ('count' in value && 'exact' in value) return printable(formatRecordCount(value))
  return formatPairs(value)
}

/** Objects whose members people name: one may be named as a member that decides how others are printed. */
const NAMED_BY_PEOPLE: readonly string[] = ['issuer_clients', 'labels', 'require']

const formatValue = (value: unknown, name?: string): string => {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(formatPart).join(' ')
  if (!isRecord(value)) return formatPart(value)
  // Of any type, and with any text: as `--claims` takes them.
  if (name === 'claims') return Object.keys(value).length === 0 ? '' : printable(JSON.stringify(value))
  return name !== undefined && NAMED_BY_PEOPLE.includes(name) ? formatPairs(value) : formatObject(value)
}

/** `name` is that of the member. */
export const formatCell = (value: unknown, name?: string): string => formatValue(value, name) || '-'

/** Its members that have a value: `--json` has them all. */
export const printRecord = (record: PrintedRecord): void => {
  const pairs = Object.entries(record)
    .map(([name, value]) => [printable(name), formatValue(value, name)] as const)
    .filter(([, text]) => text !== '')
  for (const line of layOutRecord(pairs)) printLine(line)
}

/** Where nobody looks, or a terminal does not know its width, a line may be as long as it is. */
export const terminalWidth = (): number => {
  const { isTTY, columns } = process.stdout
  return isTTY && columns > 0 ? columns : Number.POSITIVE_INFINITY
}

/** Columns under their names. */
export const printTable = (columns: readonly string[], rows: readonly PrintedRecord[]): void => {
  const cells = rows.map(row => columns.map(column => formatCell(row[column], column)))
  for (const line of layOutTable(columns, cells, terminalWidth())) printLine(line)
}

/** A number of things in words. */
export const formatCount = (count: number, one: string): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : `${one}s`}`
