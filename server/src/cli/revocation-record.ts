// A revocation of many tokens as the command line shows it, and in words before it is made.
import { formatConditions, formatPreview, formatRevocation } from '../domain/format-revocation.ts'
import type { Revocation, RevocationConditions, RevocationPreview } from '../domain/revocation.ts'
import { formatActor } from './format-actor.ts'
import { printJson, printLine, printRecord, printTable } from './print.ts'

export const printRevocation = (revocation: Revocation, asJson: boolean): void => {
  const record = formatRevocation(revocation)
  if (asJson) return printJson(record)
  printRecord({ ...record, all: String(record.all), created_by: formatActor(revocation.createdBy) })
}

const WORDS = {
  agent_id: 'of agent',
  credential_id: 'got with credential',
  scope: 'with scope',
  audience: 'for audience',
  kid: 'signed by key',
  issued_before: 'issued before',
} as const

const NAMES = ['agent_id', 'credential_id', 'scope', 'audience', 'kid', 'issued_before'] as const

/** `of agent … with scope …`, or nothing for all. */
const describe = (conditions: RevocationConditions): string => {
  const record = formatConditions(conditions)
  return NAMES.map(name => (record[name] === null ? '' : ` ${WORDS[name]} ${record[name]}`)).join('')
}

const countOf = ({ count, isExact }: RevocationPreview): string =>
  `${isExact ? '' : 'at least '}${count.toLocaleString('en-US')}`

/** What a revocation would end, and how many. */
export const consequenceOf = (conditions: RevocationConditions, preview: RevocationPreview): string =>
  `This ends every token${describe(conditions)}: ${countOf(preview)} alive now.`

export const printPreview = (preview: RevocationPreview, asJson: boolean): void => {
  const record = formatPreview(preview)
  if (asJson) return printJson(record)
  printLine(`Tokens that would end: ${countOf(preview)}`)
  if (record.sample.length > 0) printTable(['id', 'agent_id', 'scope', 'issued_at', 'expires_at'], record.sample)
}
