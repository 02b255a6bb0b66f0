// The port of sessions. Each request reads its session anew: one that was ended is refused from the next request on.
import { setTimeout as delay } from 'node:timers/promises'
import type { Sha256 } from '../../domain/text/text.ts'
import type { FoundSession, KeptSession, Sessions } from '../../ports/sessions.ts'
import type { Timing } from '../../ports/timing.ts'
import { inBackground, type OnFault } from '../background.ts'
import type { Writer } from '../jobs.ts'
import type { Reader } from '../snapshot.ts'
import { readNews } from './read-news.ts'
import { findSession, listSessions, SESSION_USE_STEP_MS } from './sessions.ts'

const POLLS_MAX = 30

/** Whether its tokens are those that were read before, and somebody renews them. */
const isStillRenewed = ({ session, now }: FoundSession, before: KeptSession): boolean =>
  now < session.renewingUntil && Buffer.compare(session.sealedTokens, before.sealedTokens) === 0

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
    renew: async (id, sealed) => {
      await call('renewSession', { id, ...sealed })
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
