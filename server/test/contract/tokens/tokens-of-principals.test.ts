// Tokens on behalf of a subject of a trusted issuer, in every answer that has tokens: what they say of it, and who finds them by it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCsv } from '../../../../testkit/callers/csv.ts'
import { exchange } from '../../../../testkit/callers/exchanges.ts'
import {
  type Answer,
  assertProblem,
  claimsOf,
  get,
  introspect,
  issue,
  revoke,
} from '../../../../testkit/callers/requests.ts'
import { COLUMNS } from '../../../../testkit/services/export-tables.ts'
import { makeForPrincipals } from '../../../../testkit/services/for-principals.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { AUDIENCE } from '../../../../testkit/services/test-server.ts'
import type { TestPrincipal } from '../../../../testkit/stores/principals.ts'
import { TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'

type Kept = Readonly<Record<string, unknown>>
type Page = { readonly data: readonly Kept[]; readonly next_cursor: string | null }

const principals = makeForPrincipals()
const service = useService({ break: principals.inFront })
const agent = service.agent({ name: 'assistant' })
const relay = service.agent({ grantTypes: [TOKEN_EXCHANGE], actsFor: ['*'], receives: [AUDIENCE] })
const reader = service.apiKey('tokens:read')
const introspector = service.apiKey('tokens:introspect')

let trusted: readonly TestPrincipal[]
/** Of each, a token that the agent got itself and one that the relay got for it. */
let own: string
let ownChild: string
let root: string
let child: string

/** A subject of the first issuer. */
const principal = (sub: string): TestPrincipal => {
  const [first] = trusted
  assert.ok(first !== undefined)
  return { asked: { ...first.asked, sub }, shown: { ...first.shown, sub } }
}

const issueFor = (sub: string): Promise<string> => principals.issueFor(service, agent, principal(sub))

service.before(async () => {
  trusted = await principals.trustIssuers(service)
  own = await issue(service, agent)
  ownChild = await exchange(service, relay, own)
  root = await issueFor('alice')
  child = await exchange(service, relay, root)
})

const idOf = (token: string): string => String(claimsOf(token)['jti'])

const idsIn = (records: readonly Kept[]): readonly string[] => records.map(({ id }) => String(id)).toSorted()

const ask = (path: string): Promise<Answer> => get(service, `/api/v1/${path}`, { 'x-api-key': reader.key })

const answered = async (path: string): Promise<Kept> => {
  const { status, json, text } = await ask(path)
  assert.equal(status, 200, text)
  return json as Kept
}

const dataOf = async (path: string): Promise<readonly Kept[]> => ((await answered(path)) as Page).data

const bySubject = (sub: string): string => `subject=${encodeURIComponent(sub)}`

/** The ids that a filter finds in a list, which its count and its export must find too. */
const found = async (list: 'tokens' | 'history', query: string): Promise<readonly string[]> => {
  const path = list === 'tokens' ? 'tokens' : 'tokens/history'
  const data = await dataOf(`${path}?${query}`)
  assert.deepEqual(await answered(`${path}/count?${query}`), { count: data.length, exact: true })
  const { text } = await ask(`exports/${list}?${query}`)
  assert.equal(text, data.map(record => `${JSON.stringify(record)}\n`).join(''))
  return idsIn(data)
}

const tokens = (...some: readonly string[]): readonly string[] => some.map(idOf).toSorted()

const ALICE = { issuer: 'acme', iss: 'https://idp.example', sub: 'alice' }

test('the record of a token for a subject of an issuer, and of one that was got for it, names both and their actors', async () => {
  const [first, second] = [await answered(`tokens/${idOf(root)}`), await answered(`tokens/${idOf(child)}`)]
  assert.deepEqual(
    [first['subject'], first['actors'], first['parent_id'], first['root_id'], first['depth']],
    [ALICE, [agent.agentId], null, idOf(root), 0],
  )
  assert.deepEqual(
    [second['subject'], second['actors'], second['parent_id'], second['root_id'], second['depth']],
    [ALICE, [relay.agentId, agent.agentId], idOf(root), idOf(root), 1],
  )
  const tree = await dataOf(`tokens/${idOf(child)}/lineage`)
  assert.deepEqual(
    tree.map(({ id, subject }) => [id, subject]),
    [
      [idOf(root), ALICE],
      [idOf(child), ALICE],
    ],
  )
})

test('a token of an agent for itself says so as before', async () => {
  const { subject, actors } = await answered(`tokens/${idOf(own)}`)
  assert.deepEqual([subject, actors], [{ agent_id: agent.agentId, agent_name: null }, []])
})

test('the filter takes the id of an agent in any case, or ALIAS:SUB, and neither finds tokens of the other', async () => {
  for (const id of [agent.agentId, agent.agentId.toUpperCase()])
    assert.deepEqual(await found('tokens', bySubject(id)), tokens(own, ownChild))
  assert.deepEqual(await found('tokens', bySubject('acme:alice')), tokens(root, child))
  assert.deepEqual(await found('tokens', `${bySubject('acme:alice')}&agent_id=${relay.agentId}`), tokens(child))
  // Who holds a token is another question.
  assert.deepEqual(await found('tokens', `agent_id=${agent.agentId}`), tokens(own, root))
})

test('a subject is found by all of it: of which issuer, in which case, and with colons of its own', async () => {
  const sub = 'repo:org/app:ref:main'
  const token = await issueFor(sub)
  assert.deepEqual(await found('tokens', bySubject(`acme:${sub}`)), tokens(token))
  for (const other of [`acme-two:${sub}`, 'acme:repo', `acme:${sub.toUpperCase()}`, `acme:${sub}:`, `nobody:${sub}`])
    assert.deepEqual(await found('tokens', bySubject(other)), [], other)
})

test('a subject that is called as an agent is its own', async () => {
  const other = await service.createAgent()
  const token = await issueFor(other.agentId)
  assert.deepEqual(await found('tokens', bySubject(other.agentId)), [])
  assert.deepEqual(await found('tokens', bySubject(`acme:${other.agentId}`)), tokens(token))
})

test('a subject has 1 to 255 characters, and its alias 1 to 32', async () => {
  const long = '~'.repeat(255)
  const token = await issueFor(long)
  assert.deepEqual(await found('tokens', bySubject(`acme:${long}`)), tokens(token))
  assert.deepEqual(await found('tokens', bySubject(`${'a'.repeat(32)}:x`)), [])
  for (const text of [
    `acme:${long}~`,
    'acme:',
    ':alice',
    'alice',
    'Acme:alice',
    `${'a'.repeat(33)}:x`,
    'acme:a b',
    'acme:alicé',
  ])
    for (const list of ['tokens', 'tokens/history', 'tokens/count', 'exports/history'])
      assertProblem(
        await ask(`${list}?${bySubject(text)}`),
        400,
        'invalid_request',
        'subject is not the id of an agent, or ALIAS:SUB of an issuer.',
      )
})

test('a token that has ended keeps its subject in history, and the filter finds it there', async () => {
  const parent = await issueFor('bob')
  const below = await exchange(service, relay, parent)
  await revoke(service, parent)
  assert.deepEqual(await found('tokens', bySubject('acme:bob')), [])
  assert.deepEqual(await found('history', bySubject('acme:bob')), tokens(parent, below))
  const [life] = await dataOf(`tokens/history?${bySubject('acme:bob')}&termination_reason=ancestor_ended`)
  assert.deepEqual([life?.['id'], life?.['subject']], [idOf(below), { ...ALICE, sub: 'bob' }])
  assert.deepEqual(await found('history', bySubject(agent.agentId)), [])
})

test('CSV has the subject in its last column, and no agent where it is one of an issuer', async () => {
  const token = await issueFor('=1+1')
  await revoke(service, await issueFor('gone'))
  for (const [list, sub] of [
    ['tokens', 'acme:=1+1'],
    ['history', 'acme:gone'],
  ] as const) {
    const { text } = await ask(`exports/${list}?format=csv&${bySubject(sub)}`)
    const [head = [], row = [], ...more] = parseCsv(text)
    assert.deepEqual([head, more], [COLUMNS[list], []])
    assert.deepEqual([head.at(-1), row.at(-1), row[head.indexOf('subject_agent_id')]], ['subject', sub, ''])
  }
  const { text } = await ask(`exports/tokens?format=csv&agent_id=${agent.agentId}&${bySubject(agent.agentId)}`)
  const [head = [], row = []] = parseCsv(text)
  assert.deepEqual([row.at(-1), row[head.indexOf('subject_agent_id')]], [agent.agentId, agent.agentId])
  assert.equal((await revoke(service, token)).status, 200)
})

test('no cell begins as a formula does, whatever the issuer and the subject are called', async () => {
  for (const sub of [';=1+1', '"=1', "'=1"]) {
    const token = await issueFor(sub)
    const { text } = await ask(`exports/tokens?format=csv&${bySubject(`acme:${sub}`)}`)
    const cell = parseCsv(text)[1]?.at(-1)
    assert.equal(cell, `acme:${sub.replace(';=', ";'=")}`)
    await revoke(service, token)
  }
})

test('pages by a subject go on where the last ended', async () => {
  const some = [await issueFor('paged'), await issueFor('paged'), await issueFor('paged')]
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = (await answered(`tokens?limit=2&${bySubject('acme:paged')}${more}`)) as Page
    seen.push(...idsIn(page.data))
    cursor = page.next_cursor
  }
  assert.deepEqual(seen.toSorted(), tokens(...some))
})

test('a cursor by the id of an agent from before subjects of issuers were known goes on', async () => {
  const id = '0198d4c2-5d7c-4b7a-9c3e-1f2a3b4c5d6e'
  const cursor = '1.tokens.269c6a5a87e9df61171546747ec0cbb5.1764000000000.019ab8d1-4800-7000-8000-000000000000'
  assert.deepEqual(await answered(`tokens?${bySubject(id)}&cursor=${cursor}`), { data: [], next_cursor: null })
  const { status, json } = await ask(`tokens?${bySubject(`acme:${id}`)}&cursor=${cursor}`)
  assert.deepEqual([status, (json as Kept)['error']], [400, 'invalid_request'])
})

test('introspection says on whose behalf, who acts, and whose client it is', async () => {
  for (const [token, client, act] of [
    [root, agent, { sub: agent.agentId }],
    [child, relay, { sub: relay.agentId, act: { sub: agent.agentId } }],
  ] as const) {
    const answer = (await introspect(service, introspector.key, token)).json as Kept
    const { iat, exp, jti, sub, act: claimed } = claimsOf(token)
    assert.deepEqual(answer, {
      active: true,
      sub: 'acme:alice',
      scope: 'db:read',
      exp,
      client_id: client.clientId,
      iss: service.baseUrl,
      aud: AUDIENCE,
      iat,
      jti,
      token_type: 'Bearer',
      act,
    })
    assert.deepEqual([sub, claimed], [answer['sub'], act])
  }
})
