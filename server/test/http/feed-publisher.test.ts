// The publisher that followers in other languages are tried against keeps to docs/apis/feed-protocol.md, as the reference reads it.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { type Members, type SentStep, token, type Verdict } from '../../../testkit/feed/case.ts'
import { startPublisher } from '../../../testkit/feed/publisher.ts'
import { type Follower, takeStep } from '../../../testkit/feed/reference-follow.ts'

const { issuer, stop } = await startPublisher()
after(stop)

const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))

const ask = (path: string): Promise<Response> => fetch(`${issuer}/feed${path}`, { headers: { 'X-API-Key': 'key' } })

const order = async (what: string, members: Members = {}): Promise<Members> => {
  const response = await fetch(`${issuer}/control`, { method: 'POST', body: JSON.stringify({ do: what, ...members }) })
  return (await response.json()) as Members
}

const readDocument = async (path: string): Promise<Members> => {
  const { payload } = await jwtVerify(await (await ask(path)).text(), keys, { issuer, typ: 'revocations+jwt' })
  return payload
}

const apply = (held: Follower, step: SentStep['step'], payload: Members): Follower =>
  takeStep(held, { step, payload, position: null }).held

/** What a follower holds that has just begun. */
const follow = async (): Promise<Follower> => {
  const snapshot = await readDocument('/snapshot')
  let held = apply(undefined, 'snapshot', snapshot)
  for (const [from, to] of held?.missing ?? []) {
    held = apply(held, 'segment', await readDocument(`/segments/${held?.epoch}/${from}-${to}`))
  }
  return apply(held, 'changes', await readDocument(`/changes?epoch=${held?.epoch}&position=${held?.position}`))
}

const judge = (held: Follower, { claims }: Members): Verdict | undefined =>
  takeStep(held, token('live', claims as Members)).verdict

test('a follower of the publisher refuses what was ended before its snapshot, in a segment or after, and nothing else', async () => {
  const ended = await Promise.all(Array.from({ length: 5 }, () => order('issue')))
  for (const { token: text, claims } of ended) await order('end', { ...(claims as Members), token: text })
  const held = await follow()
  assert.equal(held?.position, 5)
  assert.deepEqual(
    ended.map(one => judge(held, one)),
    ended.map(() => 'ended'),
  )
  assert.equal(judge(held, await order('issue')), 'live')
})

test('a request for changes is answered as soon as there are any, and by an empty document after its wait', async () => {
  const held = await follow()
  const at = `/changes?epoch=${held?.epoch}&position=${held?.position}`
  const waiting = readDocument(`${at}&wait=25`)
  await order('cut_off', { cut_off: { seq: 100, until: 2_000_000_000 } })
  const later = apply(held, 'changes', await waiting)
  assert.equal(judge(later, await order('issue')), 'ended')
  const { from, to } = await readDocument(`/changes?epoch=${later?.epoch}&position=${later?.position}&wait=0`)
  assert.deepEqual([from, to], [later?.position, later?.position])
})

test('a follower of another epoch, or one that is beyond the feed, is to start over', async () => {
  const head = (await (await ask('')).json()) as { epoch: string; position: number }
  const targets = [`?epoch=other&position=0`, `?epoch=${head.epoch}&position=${head.position + 1}`]
  for (const target of targets) {
    const response = await ask(`/changes${target}`)
    assert.deepEqual([response.status, await response.json()], [409, { error: 'epoch_changed' }])
  }
  await order('epoch_changed')
  assert.equal((await ask(`/segments/${head.epoch}/0-2`)).status, 409)
  assert.deepEqual((await follow())?.position, 0)
})
