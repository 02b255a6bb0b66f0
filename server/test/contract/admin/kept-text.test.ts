// Odd text in every field that a store keeps: what is accepted comes back as it was sent, in a record, a list, the audit log and
// both forms of an export; what is refused is kept nowhere.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { admin, call, type Headers } from '../../../../testkit/callers/administration.ts'
import { parseCsv } from '../../../../testkit/callers/csv.ts'
import { type Answer, askToken, bearer, get } from '../../../../testkit/callers/requests.ts'
import { ODD_BYTES, ODD_TEXTS } from '../../../../testkit/parsers/hostile-inputs.ts'
import { openConnection, readToEnd, statusesIn } from '../../../../testkit/callers/raw-connection.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Kept = Readonly<Record<string, unknown>>

/** What a name may be; every other text has a character that nobody sees, or that something obeys, or is too long. */
const KEPT: Readonly<Record<string, string | undefined>> = {
  'Hebrew and Arabic': 'שלום العربية',
  'wildcards and a tag': '100%_\\<script>',
  'a character of four bytes': '𝒳🙃',
  'two spellings of one letter': '\u00e9e\u0301',
  ...Object.fromEntries(
    ['an emoji and a combining mark', 'a formula', 'quotes and backslashes'].map(name => [name, ODD_TEXTS[name]]),
  ),
}

const TEXTS = Object.entries({ ...ODD_TEXTS, ...KEPT }).map(([what, text = '']) => [what, text] as const)

const service = useService()
const honest = service.agent()

const AGENTS = '/api/v1/agents'
const BODY = { scope: 'db:read' }

let count = 0
const uniqueName = (): string => `kept ${(count += 1)}`

const post = (path: string, body: object, headers: Headers): Promise<Answer> =>
  call(service, { method: 'POST', path, body }, headers)

const recordOf = ({ status, text, json }: Answer, expected: number): Kept => {
  assert.equal(status, expected, text)
  return json as Kept
}

const create = async (body: object, headers: Headers): Promise<Kept> =>
  recordOf(await post(AGENTS, { name: uniqueName(), ...BODY, ...body }, headers), 201)

const listed = async (path: string, headers: Headers): Promise<readonly Kept[]> =>
  (recordOf(await get(service, path, headers), 200) as { readonly data: readonly Kept[] }).data

/** Each request that has a text in one field, by the field. */
const requestsWith = (
  text: string,
  agentId: string,
): Readonly<Record<string, readonly [path: string, body: object]>> => ({
  name: [AGENTS, { ...BODY, name: text }],
  description: [AGENTS, { ...BODY, name: uniqueName(), description: text }],
  owner: [AGENTS, { ...BODY, name: uniqueName(), owner: text }],
  'a label': [AGENTS, { ...BODY, name: uniqueName(), labels: { team: text } }],
  'the name of an API key': ['/api/v1/api-keys', { name: text, permissions: ['tokens:read'] }],
  'the name of a credential': [`${AGENTS}/${agentId}/credentials`, { name: text }],
  'the note of an act': [`${AGENTS}/${agentId}/disable`, { note: text }],
  'the note of a revocation': ['/api/v1/revocations', { agent_id: agentId, note: text }],
})

suite('an operator writes', () => {
  for (const [what, text] of TEXTS.filter(([one]) => one in KEPT)) {
    test(`${what}: every field comes back as it was sent`, async () => {
      const headers = await admin(service)
      const members = { name: text, description: text, owner: text, labels: { team: text } }
      const agent = await create(members, headers)
      const id = String(agent['agent_id'])
      const shown = recordOf(await get(service, `${AGENTS}/${id}`, headers), 200)
      for (const one of [agent, shown]) assert.deepEqual({ ...one, ...members }, one)
      const encoded = encodeURIComponent(text)
      for (const query of [
        `owner=${encoded}`,
        `label=${encodeURIComponent(`team=${text}`)}`,
        `name_prefix=${encoded}`,
      ]) {
        assert.deepEqual(
          (await listed(`${AGENTS}?${query}`, headers)).map(one => one['agent_id']),
          [id],
          query,
        )
      }
      recordOf(await post(`${AGENTS}/${id}/disable`, { note: text }, headers), 200)
      const [entry] = await listed(`/api/v1/audit?subject=${id}&kind=agent.disable`, headers)
      assert.equal(entry?.['note'], text)
    })
  }

  for (const [what, text] of TEXTS.filter(([one]) => !(one in KEPT))) {
    test(`${what}: every field refuses it, keeps nothing, and fails nobody else`, async () => {
      const headers = await admin(service)
      const id = String((await create({}, headers))['agent_id'])
      const before = await listed('/api/v1/audit?limit=1', headers)
      for (const [field, [path, body]] of Object.entries(requestsWith(text, id))) {
        const [answer, issued] = await Promise.all([post(path, body, headers), askToken(service, honest)])
        // A description may be longer than a name.
        if (field === 'description' && answer.status === 201) continue
        const { error, error_description: why } = recordOf(answer, 400)
        assert.equal(error, 'invalid_request', field)
        assert.ok(!String(why).includes(text), field)
        assert.equal(issued.status, 200, field)
      }
      assert.deepEqual(await listed('/api/v1/audit?limit=1', headers), before)
    })
  }
})

/** As docs/manage/exports.md gives it. */
const undo = (cell: string): string =>
  cell.replaceAll(/^'(?='*[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])'(?='*[=+\-@＝＋－＠])/g, '')

test('the name of an operator, whom another server named, stands in the audit log and in both exports as it is', async () => {
  const taken: string[] = []
  for (const [, sub] of TEXTS) {
    const headers = bearer(await service.provider.operatorJwt({ role: 'mintmark-admin', sub }))
    const answer = await post(AGENTS, { name: uniqueName(), ...BODY }, headers)
    if (answer.status === 201) taken.push(sub)
    else assert.equal(answer.status, 401, answer.text)
  }
  assert.ok(taken.length > 8 && taken.includes('a\u202etxt.exe'))
  const headers = await admin(service)
  const subjectsOf = (entries: readonly Kept[]) => entries.map(one => (one['actor'] as Kept)['sub'])
  const entries = await listed('/api/v1/audit?kind=agent.create&limit=1000', headers)
  const lines = (await get(service, '/api/v1/exports/audit?kind=agent.create', headers)).text.trimEnd().split('\n')
  const [columns = [], ...rows] = parseCsv(
    (await get(service, '/api/v1/exports/audit?kind=agent.create&format=csv', headers)).text,
  )
  const inCsv = rows.map(row => undo(row[columns.indexOf('actor_sub')] ?? ''))
  const exported = lines.map(line => JSON.parse(line) as Kept)
  assert.equal(rows.length, lines.length)
  for (const all of [subjectsOf(entries), subjectsOf(exported), inCsv]) {
    assert.deepEqual(
      taken.filter(sub => !all.includes(sub)),
      [],
    )
  }
})

const withBytes = (head: string, bytes: Buffer, type: string, [before, after]: readonly [string, string]): Buffer => {
  const body = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)])
  return Buffer.concat([Buffer.from(`${head}content-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`), body])
}

test('bytes that are not UTF-8 are refused in a body, a form, a path and a header, and are kept nowhere', async () => {
  const headers = await admin(service)
  const host = `host: ${new URL(service.baseUrl).host}\r\nconnection: close\r\n`
  const asAdmin = `${host}authorization: ${headers['authorization']}\r\n`
  const before = await listed('/api/v1/audit?limit=1', headers)
  for (const bytes of ODD_BYTES) {
    const requests: readonly Buffer[] = [
      withBytes(`POST ${AGENTS} HTTP/1.1\r\n${asAdmin}`, bytes, 'application/json', [
        '{"scope":"db:read","name":"a',
        '"}',
      ]),
      withBytes(`POST /oauth/token HTTP/1.1\r\n${host}`, bytes, 'application/x-www-form-urlencoded', [
        'client_id=a',
        '&client_secret=b',
      ]),
      Buffer.concat([Buffer.from(`GET ${AGENTS}/`), bytes, Buffer.from(` HTTP/1.1\r\n${asAdmin}\r\n`)]),
      Buffer.concat([Buffer.from(`GET ${AGENTS} HTTP/1.1\r\n${host}x-api-key: `), bytes, Buffer.from('\r\n\r\n')]),
    ]
    for (const request of requests) {
      const socket = await openConnection(service)
      const answer = readToEnd(socket)
      socket.write(request)
      const [[status = 0], issued] = await Promise.all([answer.then(statusesIn), askToken(service, honest)])
      assert.ok(status >= 400 && status < 500, `${status} to ${request.toString('latin1')}`)
      assert.equal(issued.status, 200)
    }
  }
  assert.deepEqual(await listed('/api/v1/audit?limit=1', headers), before)
})
