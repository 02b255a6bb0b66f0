// A follower of a store's revocation feed without a wire in between: what it says of a token is compared with the ledger.
import { subjectClaim } from '../../server/src/domain/ledger/token-subject.ts'
import type { TokenRecord } from '../../server/src/domain/lists/page.ts'
import type { FeedPage, RevocationFeed } from '../../server/src/ports/revocation-feed.ts'
import type { Members, Verdict } from './case.ts'
import { type Follower, takeStep } from './reference-follow.ts'

/** What a follower reads of a token or an ancestor. */
export type FollowedToken = { readonly record: TokenRecord; readonly seq: number }

const payloadOf = ({ epoch, from, to, head, ended, cutOffs }: FeedPage): Members => ({
  epoch,
  from,
  to,
  now: head.now,
  ended: Object.fromEntries([...ended].map(([exp, tails]) => [exp, Buffer.from(tails).toString('base64url')])),
  cut_offs: cutOffs,
})

const ancestorOf = ({ record, seq }: FollowedToken): Members => ({
  id: record.id,
  exp: record.expiresAt,
  seq,
  agent_id: record.agentId,
  credential_id: record.credentialId,
  kid: record.kid,
})

/** The claims that a follower reads; `act` names the agent, as that of an exchanged token does. */
const claimsOf = ({ record, seq }: FollowedToken, ancestors: readonly FollowedToken[]): Members => ({
  sub: subjectClaim(record.subject),
  aud: record.audience,
  client_id: record.clientId,
  exp: record.expiresAt,
  jti: record.id,
  scope: record.scope,
  seq,
  credential_id: record.credentialId,
  ...(record.actors.length > 0 && { act: { sub: record.actors[0] } }),
  ...(ancestors.length > 0 && { lineage: ancestors.map(ancestorOf) }),
})

export type StoreFollower = {
  /** Reads on to the head; the head's time has passed then. */
  readonly catchUp: (feed: RevocationFeed) => Promise<void>
  /** `ancestors`: the parent first. */
  readonly judge: (token: FollowedToken, ancestors: readonly FollowedToken[]) => Verdict
}

export const makeStoreFollower = (): StoreFollower => {
  let held: Follower

  const take = (step: 'snapshot' | 'changes', payload: Members): void => {
    held = takeStep(held, { step, payload, position: null }).held
  }

  const catchUp: StoreFollower['catchUp'] = async feed => {
    const { epoch, now } = await feed.head()
    if (held?.epoch !== epoch) take('snapshot', { epoch, now, position: 0, segments: [] })
    for (;;) {
      const page = await feed.read({ epoch, from: held?.position ?? 0, to: null })
      if (page === 'epoch_changed') throw new Error('A follower that has missed nothing is to start over.')
      take('changes', payloadOf(page))
      if (held?.position !== page.to) throw new Error(`The page up to ${page.to} was not applied.`)
      if (page.to === page.head.position) return
    }
  }

  return {
    catchUp,
    judge: (token, ancestors) => {
      const step = { step: 'token', header: { kid: token.record.kid }, claims: claimsOf(token, ancestors) } as const
      return takeStep(held, { ...step, verdict: 'live' }).verdict ?? 'ask'
    },
  }
}
