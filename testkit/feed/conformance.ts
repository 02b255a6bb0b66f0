// What a follower of the revocation feed says of tokens, as a table: docs/apis/feed-protocol.md by examples. `conformance.json` beside this
// file holds the same for followers in other languages; `node testkit/feed/conformance.ts` writes it, and a test compares the two.
//
// The table is an array of cases: `{name, steps}`. Each case begins with a follower that holds nothing. Its steps, in order, are
//   {step: 'snapshot' | 'segment' | 'changes' | 'head', payload, position}   something that the service sent: the payload of a verified
//       document, or a head or heartbeat. `position` is the follower's after it, null while no snapshot is complete.
//   {step: 'epoch_changed', position: null}                                      the service refused a request by 409
//   {step: 'token', header, claims, verdict, or?}                             a verified token, and what to do with it:
//       'live' accept, 'ended' refuse, 'ask' introspect or refuse. `or` is a second verdict that is as right.
// Documents and tokens are not signed here. Documents that the follower has to ask for again leave its position as it was.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ANCESTOR_CASES } from './ancestor-cases.ts'
import type { Case } from './case.ts'
import { CONDITION_CASES } from './condition-cases.ts'
import { DOCUMENT_CASES } from './document-cases.ts'
import { FACT_CASES } from './fact-cases.ts'
import { SNAPSHOT_CASES } from './snapshot-cases.ts'
import { UNKNOWN_CASES } from './unknown-cases.ts'

/** Every case, in an order that has no meaning. */
export const CASES: readonly Case[] = [
  ...SNAPSHOT_CASES,
  ...DOCUMENT_CASES,
  ...FACT_CASES,
  ...CONDITION_CASES,
  ...UNKNOWN_CASES,
  ...ANCESTOR_CASES,
]

export const TABLE_FILE = resolve(import.meta.dirname, 'conformance.json')

const ABOUT =
  'What a follower says of tokens. The first comment in conformance.ts explains the members; that file writes this one.'

/** The table as `conformance.json` holds it: a line for each step. */
export const formatTable = (): string => {
  const formatCase = ({ name, steps }: Case): string =>
    `{"name": ${JSON.stringify(name)}, "steps": [\n${steps.map(step => `  ${JSON.stringify(step)}`).join(',\n')}\n]}`
  return `{"about": ${JSON.stringify(ABOUT)},\n"cases": [\n${CASES.map(formatCase).join(',\n')}\n]}\n`
}

if (import.meta.main) writeFileSync(TABLE_FILE, formatTable())
