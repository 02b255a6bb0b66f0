// In this folder: pages of tokens, history and agents: which index serves a filter, and how sorted streams merge at a bounded cost.
// The search of agents by any part of their text: name, owner, and each key and value of their labels.
import { toLowerAscii } from '../../../../api/values/ascii-case.ts'
import { type Condition, containsText } from './name-conditions.ts'

// No stored text has a control character, and no search: each of these stands for what is no text.
const [BETWEEN, BACKSLASH, QUOTE, COLON] = ['\u0001', '\u0002', '\u0003', '\u0004'] as const

/**
 * What makes the JSON of labels plain texts with something between them, in this order: escapes first, so that each quotation mark
 * that is left opens or closes a text; then the punctuation, which stands between two of them.
 */
const REWRITES: readonly (readonly [from: string, to: string])[] = [
  [String.raw`\\`, BACKSLASH],
  [String.raw`\"`, QUOTE],
  ['"', BETWEEN],
  [BETWEEN + ':' + BETWEEN, COLON],
  [`${BETWEEN},${BETWEEN}`, BETWEEN],
  [BACKSLASH, '\\'],
  [QUOTE, '"'],
]

const LABEL_TEXTS = REWRITES.reduce(sql => `replace(${sql}, ?, ?)`, 'substr(labels, 2, length(labels) - 2)')

// `lower` changes ASCII alone on both stores: on PostgreSQL by the collation of the columns.
const TEXTS = `lower(name || '${BETWEEN}' || coalesce(owner, '') || '${BETWEEN}'
  || case when labels = '{}' then '' else ${LABEL_TEXTS} end)`

/** Agents with this in one of their texts, whatever the case of its ASCII letters. */
export const containing = (search: string): Condition => {
  const { sql, values } = containsText(TEXTS, toLowerAscii(search))
  return { sql, values: [...REWRITES.flat(), ...values] }
}
