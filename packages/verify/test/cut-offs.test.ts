// What each cut-off of the feed covers (docs/apis/feed-protocol.md, "Cut-offs" and "Ancestors").
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeCutOffs } from '../src/feed/cut-offs.ts'
import { type CutOff, readChanges } from '../src/feed/document.ts'
import { makeFacts } from '../src/feed/facts.ts'
import { makeDigests, subjectsOf } from '../src/feed/subject.ts'
import type { Claims } from '../src/readers/claim-types.ts'
import { tailOf } from '../../../testkit/feed/reference-log.ts'
import { digestOf, makeId } from '../../../testkit/feed/reference-publisher.ts'

const NOW = 1_795_435_200_000
const EXP = NOW / 1000 + 300
const KID = 'key-1'
const digests = makeDigests()

const claims: Claims = {
  iss: 'https://tokens.example',
  sub: 'agent-1',
  aud: ['https://a.example', 'https://b.example'],
  client_id: 'reports',
  iat: NOW / 1000,
  exp: EXP,
  jti: makeId(NOW),
  scope: 'db:read db:write',
  seq: 10,
  credential_id: 'credential-1',
}

const parent = {
  id: makeId(NOW - 1000),
  exp: EXP + 1,
  seq: 8,
  agent_id: 'agent-2',
  credential_id: 'credential-2',
  kid: 'key-2',
}
const root = {
  id: makeId(NOW - 2000),
  exp: EXP + 2,
  seq: 6,
  agent_id: 'agent-3',
  credential_id: 'credential-3',
  kid: 'key-3',
}
const child: Claims = { ...claims, act: { sub: 'agent-1' }, sub: 'agent-3', lineage: [parent, root] }

type Members = Readonly<Record<string, unknown>>

const until = EXP + 10
const tail = (id: string): string => tailOf(id).toString('base64url')

const judge = async (token: Claims, conditions: Members, seq = 11): Promise<string> => {
  const changes = readChanges({
    epoch: 'e',
    now: NOW,
    from: 0,
    to: 1,
    ended: {},
    cut_offs: [{ seq, until, ...conditions }],
  })
  if ('unreadable' in changes) return changes.unreadable
  const facts = makeFacts('e')
  assert.equal(facts.apply(changes), 'applied')
  return facts.judge(await subjectsOf(digests, token, KID))
}

const without = (name: keyof Claims): Claims => {
  const { [name]: _gone, ...rest } = claims
  return rest as Claims
}

const ROWS: readonly (readonly [what: string, conditions: Members, verdict: string, token?: Claims])[] = [
  ['all tokens', {}, 'ended'],
  ['its agent', { agent: digestOf('agent-1') }, 'ended'],
  ['another agent', { agent: digestOf('agent-9') }, 'clear'],
  ['the text of its client_id', { agent: digestOf('reports') }, 'clear'],
  ['the agent that acts', { agent: digestOf('agent-1') }, 'ended', child],
  ['one of several agents', { agents: [digestOf('agent-9'), digestOf('agent-1')] }, 'ended'],
  ['several other agents', { agents: [digestOf('agent-9')] }, 'clear'],
  ['no agents', { agents: [] }, 'clear'],
  ['its credential', { credential: digestOf('credential-1') }, 'ended'],
  ['another credential', { credential: digestOf('credential-9') }, 'clear'],
  [
    'a credential, and the token does not say',
    { credential: digestOf('credential-9') },
    'unknown',
    without('credential_id'),
  ],
  [
    'another agent and a credential, and the token does not say',
    { agent: digestOf('agent-9'), credential: digestOf('credential-9') },
    'clear',
    without('credential_id'),
  ],
  ['its key', { key: digestOf(KID) }, 'ended'],
  ['another key', { key: digestOf('key-9') }, 'clear'],
  ['a scope item of it', { scope: 'db:read' }, 'ended'],
  ['a scope item that begins as one of it', { scope: 'db:rea' }, 'clear'],
  ['all actions of its resource', { scope: 'db:*' }, 'ended'],
  ['all actions of another resource', { scope: 'd:*' }, 'clear'],
  ['every scope item', { scope: '*' }, 'ended'],
  ['every scope item, and the token has none', { scope: '*' }, 'clear', { ...claims, scope: '' }],
  ['every scope item, and the token does not say', { scope: '*' }, 'unknown', without('scope')],
  ['what is not kept', { keep_scopes: ['db:read'] }, 'ended'],
  ['all of it is kept', { keep_scopes: ['db:*'] }, 'clear'],
  ['each item of it is kept', { keep_scopes: ['db:read', 'db:write'] }, 'clear'],
  ['nothing is kept', { keep_scopes: [] }, 'ended'],
  ['an audience of it', { audience: digestOf('https://b.example') }, 'ended'],
  ['another audience', { audience: digestOf('https://c.example') }, 'clear'],
  ['an audience that is not kept', { keep_audiences: [digestOf('https://a.example')] }, 'ended'],
  ['all of its audiences are kept', { keep_audiences: ['a', 'b'].map(x => digestOf(`https://${x}.example`)) }, 'clear'],
  ['before its issue', { before: NOW }, 'clear'],
  ['a millisecond after its issue', { before: NOW + 1 }, 'ended'],
  ['its own lineage', { root: tail(claims.jti) }, 'ended'],
  ['another lineage', { root: tail(root.id) }, 'clear'],
  ['from another agent', { from_another: true }, 'clear'],
  ['opened', { opened: true }, 'unknown'],
  ['opened, for another agent', { opened: true, agent: digestOf('agent-9') }, 'clear'],
  ['two conditions that hold', { agent: digestOf('agent-1'), scope: 'db:read' }, 'ended'],
  ['one condition that holds and one that does not', { agent: digestOf('agent-1'), scope: 'files:*' }, 'clear'],
  ['a condition that is not known', { moon: 'full' }, 'unknown'],
  ['a condition that is not known, with another agent', { moon: 'full', agent: digestOf('agent-9') }, 'unknown'],
  ['a condition of another form', { agent: 7 }, 'unknown'],
  ['from_another of another form', { from_another: false }, 'unknown'],
  ['all tokens, and the token does not say its seq', {}, 'unknown', without('seq')],
  ['another agent, and the token does not say its seq', { agent: digestOf('agent-9') }, 'clear', without('seq')],
  ['the agent of its parent', { agent: digestOf('agent-2') }, 'ended', child],
  ['the agent of its root', { agent: digestOf('agent-3') }, 'ended', child],
  ['the credential of its root', { credential: digestOf('credential-3') }, 'ended', child],
  ['the key of its parent', { key: digestOf('key-2') }, 'ended', child],
  ['its lineage, by the root', { root: tail(root.id) }, 'ended', child],
  ['its parent as a root', { root: tail(parent.id) }, 'clear', child],
  ['got from another agent', { from_another: true, agent: digestOf('agent-1') }, 'ended', child],
  ['its parent was got from another agent', { from_another: true, agent: digestOf('agent-2') }, 'ended', child],
  ['its root was got from another agent', { from_another: true, agent: digestOf('agent-3') }, 'clear', child],
  ['a scope, which an ancestor does not say', { agent: digestOf('agent-2'), scope: 'db:read' }, 'unknown', child],
  ['a scope, for an agent of no ancestor', { agent: digestOf('agent-9'), scope: 'db:read' }, 'clear', child],
  ['an audience, which an ancestor does not say', { audience: digestOf('https://c.example') }, 'unknown', child],
  ['before the issue of its root', { before: NOW - 2000 }, 'clear', child],
  ['after the issue of its root', { before: NOW - 1999 }, 'ended', child],
]

for (const [what, conditions, verdict, token = claims] of ROWS) {
  test(`${verdict}: ${what}${token === child ? ' (got by exchange)' : ''}`, async () => {
    assert.equal(await judge(token, conditions), verdict)
  })
}

test('a cut-off covers tokens with a smaller seq, and no other', async () => {
  const agent = digestOf('agent-1')
  assert.equal(await judge(claims, { agent }, 11), 'ended')
  assert.equal(await judge(claims, { agent }, 10), 'clear')
  assert.equal(await judge(claims, { moon: 'full' }, 10), 'clear')
})

test('a condition that is not known concerns tokens that expire by `until`', async () => {
  assert.equal(await judge({ ...claims, exp: until }, { moon: 'full' }), 'unknown')
  assert.equal(await judge({ ...claims, exp: until + 1 }, { moon: 'full' }), 'clear')
})

test('an ancestor that ended by itself ends the token', async () => {
  for (const { id, exp } of [parent, root]) {
    const facts = makeFacts('e')
    facts.apply({ epoch: 'e', now: NOW, from: 0, to: 1, ended: [[exp, tailOf(id)]], cutOffs: [] })
    assert.equal(facts.judge(await subjectsOf(digests, child, KID)), 'ended')
    assert.equal(facts.judge(await subjectsOf(digests, claims, KID)), 'clear')
  }
})

test('of two cut-offs of one agent both count, whichever came first and whatever is over', async () => {
  const [subject] = await subjectsOf(digests, claims, KID)
  assert.ok(subject)
  const agent = digestOf('agent-1')
  const cutOff = (seq: number, end: number): CutOff => ({ seq, until: end, conditions: { agent } })
  for (const both of [
    [cutOff(11, until), cutOff(5, until + 9)],
    [cutOff(5, until + 9), cutOff(11, until)],
  ]) {
    const cutOffs = makeCutOffs()
    for (const one of both) cutOffs.add(one)
    assert.equal(cutOffs.judge(subject), 'ended')
    cutOffs.dropBefore(until)
    assert.equal(cutOffs.judge(subject), 'ended')
    cutOffs.dropBefore(until + 10)
    assert.deepEqual([cutOffs.judge(subject), cutOffs.size()], ['clear', 0])
  }
})

test('a cut-off counts until the service is beyond its second', async () => {
  const facts = makeFacts('e')
  facts.apply({ epoch: 'e', now: NOW, from: 0, to: 1, ended: [], cutOffs: [{ seq: 11, until: EXP, conditions: {} }] })
  facts.passTime(EXP * 1000)
  assert.equal(facts.sizes().cutOffs, 1)
  facts.passTime(EXP * 1000 + 1)
  assert.equal(facts.sizes().cutOffs, 0)
  facts.passTime(NOW)
  assert.equal(facts.serviceMs(), EXP * 1000 + 1)
})

test('facts apply in order, once each, of their epoch, as far as there is room', () => {
  const facts = makeFacts('e', { endsMax: 2, cutOffsMax: 1 })
  const ended = (count: number) => [[EXP, new Uint8Array(Buffer.alloc(8 * count).map((_, n) => n))]] as const
  const changes = { epoch: 'e', now: NOW, from: 0, to: 1, ended: ended(2), cutOffs: [] }
  assert.equal(facts.apply({ ...changes, epoch: 'f' }), 'foreign')
  assert.equal(facts.apply({ ...changes, from: 1, to: 2 }), 'gap')
  assert.equal(facts.apply({ ...changes, ended: ended(3) }), 'full')
  assert.deepEqual([facts.position(), facts.version()], [0, 0])
  assert.equal(facts.apply(changes), 'applied')
  assert.equal(facts.apply({ ...changes, ended: [] }), 'held')
  assert.equal(facts.apply({ ...changes, from: 1, to: 1, ended: [] }), 'held')
  assert.equal(facts.apply({ ...changes, from: 1, to: 5, ended: [] }), 'applied')
  assert.deepEqual([facts.position(), facts.version(), facts.sizes().ends], [5, 1, 2])
  const cutOff = { seq: 1, until: EXP, conditions: {} }
  assert.equal(facts.apply({ ...changes, from: 5, to: 6, ended: [], cutOffs: [cutOff, cutOff] }), 'full')
})
