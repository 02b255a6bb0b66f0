// The options that describe an agent, made from the table of its settings.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { z } from 'zod'
import type { changeAgent } from '../../../api/agents.ts'
import { SETTINGS } from '../../../api/agent-settings.ts'
import type { Label } from '../../../api/values/labels.ts'
import { AT_LIVE_TOKENS_MAX } from '../../../api/values/limits.ts'
import { isRecord, type PrintedRecord } from './terminal/print.ts'
import { parseDocument } from './terminal/parse-json.ts'
import { readExpiry } from './terminal/time.ts'

/** By the names that Commander gives its options; false where one was given as `--no-…`. */
export type AgentOptions = Readonly<Record<string, unknown>> & {
  readonly label?: readonly Label[] | false
  readonly removeLabel?: readonly string[]
}

export type ChangeBody = z.input<(typeof changeAgent)['body']>

export const countIn = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.')
  return Number(text)
}

/** Refuses a key that is given twice: one of its two values would be lost in silence. */
export const givenTwice = (key: string): InvalidArgumentError =>
  new InvalidArgumentError(`${key} is there already: give each key one value.`)

/** Gathers the labels of a repeated option; `before` is false after `--no-label`. */
export const gatherLabels = (text: string, before: readonly Label[] | false = false): readonly Label[] => {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InvalidArgumentError('Expected key=value.')
  const [key, gathered] = [text.slice(0, equals), before || []]
  if (gathered.some(label => label.key === key)) throw givenTwice(key)
  return [...gathered, { key, value: text.slice(equals + 1) }]
}

const objectIn = (text: string): PrintedRecord => {
  const value = parseDocument(text)
  if (!isRecord(value)) throw new InvalidArgumentError('Expected an object of JSON.')
  return value
}

const ROWS = Object.entries(SETTINGS).map(([wireName, row]) => {
  const { flags, help } = row
  return { wireName, flags, help, clear: 'clear' in row ? row.clear : undefined, isFlag: !flags.includes('<') }
})

type Row = (typeof ROWS)[number]

/** Whether each value is `name=value`. */
const isOfPairs = (flags: string): boolean => flags.includes('=')

const isOfJson = (flags: string): boolean => flags.endsWith('<json>')

const optionOf = ({ flags, help }: Row): Option => {
  const option = new Option(flags, help)
  if (flags.endsWith('<n>')) return option.argParser(countIn)
  if (flags.endsWith('<time>')) return option.argParser(readExpiry)
  if (isOfJson(flags)) return option.argParser(objectIn)
  if (isOfPairs(flags)) return option.argParser(gatherLabels)
  return flags.startsWith('--at-live-tokens-max') ? option.choices(AT_LIVE_TOKENS_MAX) : option
}

const clearingOf = ({ flags, clear = '' }: Row): Option =>
  new Option(`--no-${flags.slice(2).split(' ', 1).join('')}`, clear)

type Purpose = 'create' | 'change'

const REQUIRED = ['name', 'scope']

/** An option for each setting; a change can also clear what was set. */
export const addAgentOptions = (command: Command, purpose: Purpose): Command => {
  for (const row of ROWS) {
    const option = optionOf(row)
    command.addOption(purpose === 'create' && REQUIRED.includes(row.wireName) ? option.makeOptionMandatory() : option)
    if (row.clear !== undefined && (row.isFlag || purpose === 'change')) command.addOption(clearingOf(row))
  }
  return purpose === 'change' ? command.option('--remove-label <key...>', 'remove a label (repeatable)') : command
}

const labelsOf = ({
  label,
  removeLabel = [],
}: AgentOptions): Readonly<Record<string, string | null>> | null | undefined => {
  if (label === false) return null
  if (label === undefined && removeLabel.length === 0) return undefined
  const removed = removeLabel.map(key => [key, null] as const)
  return Object.fromEntries([...removed, ...(label ?? []).map(({ key, value }) => [key, value] as const)])
}

/** What `--no-…` asks for. */
const cleared = ({ flags, isFlag }: Row): unknown => {
  if (isFlag) return false
  if (isOfPairs(flags) || isOfJson(flags)) return {}
  return flags.endsWith('...>') ? [] : null
}

const isLabel = (value: unknown): value is Label => typeof value === 'object' && value !== null && 'key' in value

const saidBy = (row: Row, value: unknown): unknown => {
  if (value === false) return cleared(row)
  if (!isOfPairs(row.flags) || !Array.isArray(value)) return value
  return Object.fromEntries(value.filter(isLabel).map(one => [one.key, one.value]))
}

/** What the options say of the agent, as the API takes it. */
export const bodyOf = (options: AgentOptions): ChangeBody => {
  const said = ROWS.map(row => [row.wireName, saidBy(row, options[optionOf(row).attributeName()])])
  return { ...Object.fromEntries(said), labels: labelsOf(options) } as ChangeBody // the service parses it
}
