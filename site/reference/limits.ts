// The reference of limits: the rows of limit-rows.ts, with the values that the code has.
import { settingEntries } from '../../server/src/config/settings/settings.ts'
import { TIMING } from '../../server/src/ports/timing.ts'
import { readFiles } from '../../testkit/sources/source-files.ts'
import { type LimitRow, LIMITS_OF_CALLERS } from './limit-rows.ts'
import { LIMITS_OF_WORK } from './limit-rows-of-work.ts'

export const LIMITS = [...LIMITS_OF_CALLERS, ...LIMITS_OF_WORK]

/** A constant by its file and name, as `pipelining/OWN_WAITING_MAX`; in ms, bytes, or pieces. */
type Values = ReadonlyMap<string, number>

const DECLARED = /^(?:export )?const ([A-Z][A-Z0-9_]*)(?:: [^=\n]+)? = (\{[^}]*\}|[^\n]+)/gm
const PRODUCT = /^[\d_]+(?: \* [\d_]+)*$/

const valueOf = (text: string): number | undefined =>
  PRODUCT.test(text)
    ? text.split(' * ').reduce((product, one) => product * Number(one.replaceAll('_', '')), 1)
    : undefined

const stemOf = (path: string): string => path.replace(/^.*\//, '').replace(/\.ts$/, '')

const SECOND = 1000
const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 86_400_000

/** Of what its name says that it is. */
const unitOf = (name: string): number =>
  /SECONDS/.test(name) && !/MILLISECONDS/.test(name) ? SECOND : /DAYS/.test(name) ? DAY : 1

/** All constants of the code, those among them that are called limits, and those whose name and file another one has. */
export const readConstants = () => {
  const values = new Map<string, number>()
  const limits = new Set<string>()
  const doubled: string[] = []
  const add = (key: string, text: string): void => {
    const value = valueOf(text.trim())
    if (value === undefined) return
    if (values.has(key) && key.endsWith('_MAX')) doubled.push(key)
    values.set(key, value * unitOf(key))
  }
  const sources = ['api', 'server/src', 'packages/verify/src/readers'].flatMap(folder => readFiles(`${folder}/**/*.ts`))
  for (const { path, text } of sources) {
    for (const [, name = '', right = ''] of text.matchAll(DECLARED)) {
      const key = `${stemOf(path)}/${name}`
      if (name.endsWith('_MAX')) limits.add(key)
      if (!right.startsWith('{')) add(key, right.replace(/ (?:as const|\/\/).*$/, ''))
      else
        for (const [, member = '', value = ''] of right.matchAll(/(\w+): ([\d_* ]+)/g)) add(`${key}.${member}`, value)
    }
  }
  return { values, limits, doubled }
}

const knownValues = (): Values =>
  new Map([
    ...readConstants().values,
    ...Object.entries(TIMING).map(([member, ms]) => [`timing/${member}`, ms] as const),
    ...settingEntries().map(([name, { fallback }]) => [name, Number(fallback)] as const),
  ])

const count = (number: number): string => number.toLocaleString('en-US')

const formatTime = (ms: number): string => {
  if (ms % DAY === 0 && ms > DAY) return `${count(ms / DAY)} days`
  if (ms % HOUR === 0) return `${count(ms / HOUR)} h`
  return ms > 5 * MINUTE && ms % MINUTE === 0 ? `${count(ms / MINUTE)} minutes` : `${count(ms / SECOND)} s`
}

const formatBytes = (bytes: number): string => {
  if (bytes >= 1_048_576) return `${count(bytes / 1_048_576)} MiB`
  return bytes >= 1024 && bytes % 1024 === 0 ? `${count(bytes / 1024)} KiB` : `${count(bytes)} bytes`
}

const formatValue = (key: string, value: number): string => {
  if (/^timing\/|_MS_|(?:MILLI)?SECONDS|DAYS/.test(key)) return formatTime(value)
  if (/BYTES/.test(key)) return formatBytes(value)
  if (/CHARACTERS/.test(key)) return `${count(value)} characters`
  return key.startsWith('MINTMARK_FAILED_AUTH_') ? `${count(value)} a minute` : count(value)
}

const rowOf = ([what, key, per, beyond]: LimitRow, values: Values): string => {
  const value = values.get(key)
  if (value === undefined || Number.isNaN(value)) throw new Error(`No constant, setting or wait is called ${key}.`)
  return `| ${what} | ${formatValue(key, value)} | ${per} | ${beyond} | ${key.startsWith('MINTMARK_') ? `\`${key}\`` : ''} |`
}

/** A page in Markdown. */
export const writeLimits = (): string => {
  const values = knownValues()
  const sections = LIMITS.map(
    ({ title, rows }) => `## ${title}

| limit | value | per | beyond it | setting |
|---|---|---|---|---|
${rows.map(row => rowOf(row, values)).join('\n')}
`,
  )
  return `# Limits

Every limit that a caller can meet or a setting changes. [How limits work](../security/limits.md) says what they protect and in which order.

A thread is a serving thread: \`MINTMARK_WORKERS\` of them run in a process. Limits of a process or a thread hold for each replica by itself.
Where a setting is named, the value is its default.

${sections.join('\n')}`
}
