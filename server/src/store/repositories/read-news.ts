// Reads for the console whether anything changed, and which sessions go on: one seek for each lifetime and each reason.
import type { ConsoleNews } from '../../ports/sessions.ts'
import { SESSION_IDLE_MS_MAX, SESSION_MS_MAX, type Session } from '../../domain/clients/session.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { REASONS } from '../../../../api/values/reason.ts'
import { readLifetimes } from '../ledger/scan-affected-rows.ts'
import { idOfBytes } from '../rows.ts'
import type { Snapshot } from '../snapshot.ts'
import { all, byIndex, first, type Program } from '../statement-program.ts'

const NEWEST_TOKEN = 'select id from token where life = ? order by id desc limit 1'
const NEWEST_END = `select id from ended ${byIndex('ended_reason')} where reason = ? order by at desc, id desc limit 1`
const NEWEST_ACT = 'select n from audit order by n desc limit 1'

type IdRow = { readonly id: Uint8Array }

function* newestOf(statement: string, keys: readonly number[]): Program<string> {
  const ids: string[] = []
  for (const key of keys) {
    const row = yield* first<IdRow>(statement, key)
    ids.push(row === undefined ? '' : idOfBytes(row.id))
  }
  return ids.join()
}

/** Few texts: a list is filled up by its last id. */
const TOGETHER = [1, 8, 64] as const

function* readGoingOn({ now }: Pick<Snapshot, 'now'>, sessionIds: readonly string[]): Program<ConsoleNews['sessions']> {
  const found = new Map<string, Milliseconds>()
  for (let from = 0; from < sessionIds.length; from += TOGETHER[2]) {
    const some = sessionIds.slice(from, from + TOGETHER[2])
    const size = TOGETHER.find(each => each >= some.length) ?? some.length
    const filled = Array.from({ length: size }, (_, n) => some[n] ?? some[0] ?? '')
    const text = `select id, expires_at as "expiresAt" from session where created_at > ? and used_at > ? and id in (${filled.map(() => '?').join(', ')})`
    const rows = yield* all<Pick<Session, 'id' | 'expiresAt'>>(
      text,
      now - SESSION_MS_MAX,
      now - SESSION_IDLE_MS_MAX,
      ...filled,
    )
    for (const { id, expiresAt } of rows) found.set(id, expiresAt)
  }
  return found
}

export function* readNews(snapshot: Pick<Snapshot, 'now'>, sessionIds: readonly string[]): Program<ConsoleNews> {
  const act = yield* first<{ n: number }>(NEWEST_ACT)
  return {
    versions: {
      tokens: yield* newestOf(NEWEST_TOKEN, yield* readLifetimes()),
      history: yield* newestOf(NEWEST_END, Object.values(REASONS)),
      audit: String(act?.n ?? 0),
    },
    sessions: yield* readGoingOn(snapshot, sessionIds),
    now: snapshot.now,
  }
}
