// The alert rules with a second for each minute, so that each alert can be seen within a minute or so.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const RULES = join(import.meta.dirname, '..', '..', '..', 'deploy', 'prometheus', 'mintmark.rules.yaml')

const SHORTER: Readonly<Record<string, string>> = { m: 's', h: 'm', d: 'h' }

/** Thresholds that are times of the process itself, which nothing can set back; retention runs once a minute. */
const THRESHOLDS = [
  ['> 21600', '> 75'],
  ['mintmark_facts_timestamp_seconds > 120', 'mintmark_facts_timestamp_seconds > 25'],
] as const

const shorten = (text: string): string => {
  const short = text.replaceAll(
    /(?<=\[|for: )(\d+)([mhd])\b/g,
    (_, count: string, unit: string) => `${count}${SHORTER[unit]}`,
  )
  return THRESHOLDS.reduce((rules, [from, to]) => {
    if (!rules.includes(from)) throw new Error(`No rule has ${from}.`)
    return rules.replace(from, to)
  }, short)
}

export const readShortRules = (): string => shorten(readFileSync(RULES, 'utf8'))

/** Every alert, in the order of the rules. */
export const alertNames = (): readonly string[] =>
  [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)
