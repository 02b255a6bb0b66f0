// What must hold after every restart: each token is in exactly one of the two lists, where what was acknowledged says,
// and introspection agrees. No load runs meanwhile.
import { type Connection, openConnection } from '../connection.ts'
import { type KnownToken, type KnownTokens, mustBeInactive, noteIntrospection } from './known-tokens.ts'
import type { Random } from '../random.ts'
import { type Access, introspectRequest, isActiveIn, readRequest } from '../requests.ts'

export type ListRecord = {
  readonly id: string
  readonly ended_at?: string
  readonly termination_reason?: string
  readonly ancestor_id?: string | null
  readonly ended_by?: { readonly type: string } | null
}

type Lists = { readonly live: ReadonlyMap<string, ListRecord>; readonly ended: ReadonlyMap<string, ListRecord> }

const PAGE_RECORDS = 1000
const CONNECTIONS = 16

const read = async (connection: Connection, request: string): Promise<string> => {
  const { status, body } = await connection.exchange(request)
  if (status !== 200) throw new Error(`The check was answered ${status}: ${body}`)
  return body
}

/** A list from its first page to its last, or what of it a filter finds; a record that is in it twice is a violation. */
export const scanList = async (
  access: Access,
  path: string,
  violations: string[],
  filter = '',
): Promise<ReadonlyMap<string, ListRecord>> => {
  const records = new Map<string, ListRecord>()
  const connection = await openConnection(access.port)
  for (let cursor: string | null = ''; cursor !== null; ) {
    const rest: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const body = await read(connection, readRequest(access, `${path}?limit=${PAGE_RECORDS}${filter}${rest}`))
    const page = JSON.parse(body) as { data: readonly ListRecord[]; next_cursor: string | null }
    for (const record of page.data) {
      if (records.has(record.id)) violations.push(`P6: token ${record.id} is in ${path} more than once.`)
      records.set(record.id, record)
    }
    cursor = page.next_cursor
  }
  connection.close()
  return records
}

const checkEnded = (known: KnownTokens, token: KnownToken, record: ListRecord): void => {
  if (!token.revokeSent) known.violations.push(`P5: token ${token.jti} is in history, though nothing ended it.`)
  const { termination_reason: reason = 'none', ended_at: endedAt = 'never' } = record
  if (reason !== token.reason) known.violations.push(`P6: token ${token.jti} ended by ${reason}, not ${token.reason}.`)
  if (token.endedAt !== undefined && token.endedAt !== endedAt) {
    known.violations.push(`P6: token ${token.jti} ended at ${token.endedAt}, and now at ${endedAt}.`)
  }
  token.endedAt = endedAt
  token.seenInactive = true
}

const checkListed = (known: KnownTokens, token: KnownToken, { live, ended }: Lists): void => {
  const { jti } = token
  const record = ended.get(jti)
  if (live.has(jti) && record !== undefined) known.violations.push(`P6: token ${jti} is in both lists.`)
  if (!live.has(jti) && record === undefined) known.violations.push(`P3: token ${jti} was acknowledged and is lost.`)
  if (live.has(jti) && mustBeInactive(token)) {
    const what = token.revoked ? 'revocation was acknowledged' : 'end had been seen'
    known.violations.push(`P3: token ${jti} is in the list of live tokens, though its ${what}.`)
  }
  if (record !== undefined) checkEnded(known, token, record)
}

// An issue whose answer never came may have left a row that nobody holds; more rows than that come from nowhere.
const checkStrangers = (known: KnownTokens, lists: Lists): void => {
  const ids = new Set([...lists.live.keys(), ...lists.ended.keys()])
  const strangers = [...ids].filter(id => !known.all.has(id)).length
  if (strangers > known.issuesUnanswered) {
    known.violations.push(`P6: ${strangers} tokens that nobody got, where ${known.issuesUnanswered} were under way.`)
  }
}

const introspectAll = async (access: Access, known: KnownTokens, tokens: readonly KnownToken[]): Promise<void> => {
  const queue = tokens.values()
  const run = async (): Promise<void> => {
    const connection = await openConnection(access.port)
    for (const token of queue) {
      const wasInactive = mustBeInactive(token)
      const body = await read(connection, introspectRequest(access, token.text))
      noteIntrospection(known, token, { active: isActiveIn(body), wasInactive })
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, run))
}

/** Introspects these tokens: first, so that an early answer must hold for what is read later. */
export const checkIntrospection = introspectAll

/** Reads both lists to their ends and compares them with all that is known. */
export const checkLists = async (access: Access, known: KnownTokens): Promise<void> => {
  const [live, ended] = [
    await scanList(access, '/api/v1/tokens', known.violations),
    await scanList(access, '/api/v1/tokens/history', known.violations),
  ]
  for (const token of known.all.values()) {
    checkListed(known, token, { live, ended })
    // Nothing is under way any more: what is alive now has not been revoked.
    if (!token.seenInactive && !token.revoked) token.revokeSent = false
  }
  checkStrangers(known, { live, ended })
}

/** Every token from `since` on, in order of issue, and a sample of the older ones. */
export const chooseTokens = (
  known: KnownTokens,
  { since, sample }: { readonly since: number; readonly sample: number },
  random: Random,
): readonly KnownToken[] => {
  const all = [...known.all.values()]
  const older = Array.from({ length: Math.min(since, sample) }, () => all[random.below(since)])
  return [...all.slice(since), ...older.filter(token => token !== undefined)]
}
