// The port of sessions. Each request reads its session anew: one that was ended is refused from the next request on.
import { setTimeout as delay } from 'node:timers/promises'
import type { Sha256 } from '../../domain/text/text.ts'
import type { FoundSession, KeptSession, Sessions, ConsoleNews } from '../../ports/sessions.ts'
import type { Timing } from '../../ports/timing.ts'
import { inBackground, type OnFault } from '../background.ts'
import type { Writer } from '../subjects.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { findSession, listSessions, SESSION_USE_STEP_MS } from './sessions.ts'
import { SESSION_IDLE_MS_MAX, SESSION_MS_MAX, type Session } from '../../domain/clients/session.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { REASONS } from '../../../../api/values/reason.ts'
import { inBlocks } from '../lists/name-conditions.ts'
import { readLifetimes } from '../ledger/scan-affected-rows.ts'
import { idOfBytes } from '../rows.ts'
import { all, byIndex, first, type Program } from '../statement-program.ts'

// Reads for the console whether anything changed, and which sessions go on: one seek for each lifetime and each reason.

const NEWEST_TOKEN = 'select id from token where life = ? order by id desc limit 1'
const NEWEST_END = `select id from ended ${byIndex('ended_reason')} where reason = ? order by at desc, id desc limit 1`
const NEWEST_ACT = 'select n from audit order by n desc limit 1'

function* newestOf(statement: string, keys: readonly number[]): Program<string> {
  const ids: string[] = []
  for (const key of keys) {
    const row = yield* first<{ id: Uint8Array }>(statement, key)
    ids.push(row === undefined ? '' : idOfBytes(row.id))
  }
  return ids.join()
}

function* readGoingOn({ now }: Pick<Snapshot, 'now'>, sessionIds: readonly string[]): Program<ConsoleNews['sessions']> {
  const found = new Map<string, Milliseconds>()
  const since = [now - SESSION_MS_MAX, now - SESSION_IDLE_MS_MAX] as const
  for (const { sql, values } of inBlocks('id', sessionIds)) {
    const text = `select id, expires_at as "expiresAt" from session where created_at > ? and used_at > ? and ${sql}`
    const rows = yield* all<Pick<Session, 'id' | 'expiresAt'>>(text, ...since, ...values)
    for (const { id, expiresAt } of rows) found.set(id, expiresAt)
  }
  return found
}

function* readNews(snapshot: Pick<Snapshot, 'now'>, sessionIds: readonly string[]): Program<ConsoleNews> {
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

const POLLS_MAX = 30
/** How often what a renewal got is written, in steps of ten polls. */
const KEEPS_MAX = 15

/** Whether its tokens are those that were read before, and somebody renews them. */
const isStillRenewed = ({ session, now }: FoundSession, before: KeptSession): boolean =>
  now < session.renewingUntil && Buffer.compare(session.sealedTokens, before.sealedTokens) === 0

/** The refresh token before is used up, so nothing but this renews the session. */
const keepTrying = async (keep: () => Promise<unknown>, { sessionPollMs }: Parts['timing']): Promise<void> => {
  for (let n = 1; n < KEEPS_MAX; n += 1) {
    await delay(10 * sessionPollMs, undefined, { ref: false })
    try {
      await keep()
      return
    } catch {
      // The last one's fault is reported.
    }
  }
  await keep()
}

type Parts = { readonly timing: Pick<Timing, 'sessionPollMs'>; readonly onFault: OnFault }

export const makeSessionRepository = ({ read }: Reader, { call }: Writer, { timing, onFault }: Parts): Sessions => {
  const find = (secretHash: Sha256) => read(snapshot => findSession(snapshot, secretHash))
  return {
    create: async (session, act, before = null) => {
      await call('createSession', { session, act, before })
    },
    find: async secretHash => {
      const found = await find(secretHash)
      if (found !== undefined && found.now - found.session.usedAt >= SESSION_USE_STEP_MS) {
        void inBackground('last uses of sessions', () => call('noteSessionUse', found.session.id), onFault)
      }
      return found
    },
    claimRenewal: ({ id, sealedTokens }) => call('claimRenewal', { id, sealedTokens }),
    releaseRenewal: async (id, claim, againAt) => {
      await call('releaseRenewal', { id, claim, againAt })
    },
    renew: async (id, claim, sealed) => {
      const keep = () => call('renewSession', { id, claim, ...sealed })
      try {
        await keep()
      } catch {
        void inBackground('renewed sessions', () => keepTrying(keep, timing), onFault)
      }
    },
    awaitRenewal: async (secretHash, before) => {
      for (let n = 0; n < POLLS_MAX; n += 1) {
        await delay(timing.sessionPollMs)
        const found = await find(secretHash)
        if (found === undefined || !isStillRenewed(found, before)) return found
      }
      return find(secretHash)
    },
    readNews: sessionIds => read(snapshot => readNews(snapshot, sessionIds)),
    list: (after, limit) => read(snapshot => listSessions(snapshot, after, limit)),
    end: (id, act) => call('endSession', { id, act }),
  }
}
