// Who may do what: every credential against every operation, as testkit/callers/access.md promises it cell by cell.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { ROLES } from '../../../../api/values/access.ts'
import { readAccessTable, type Row } from '../../../../testkit/callers/access-table.ts'
import { admin } from '../../../../testkit/callers/administration.ts'
import type { Document } from '../../../../testkit/services/described.ts'
import { type Callers, type Credential, makeCallers } from '../../../../testkit/callers/every-caller.ts'
import { OPERATIONS, type OperationRequest, sendAs, type World } from '../../../../testkit/callers/every-operation.ts'
import { type Answer, assertProblem, get } from '../../../../testkit/callers/requests.ts'
import { contentOf } from '../../../../testkit/stores/store-content.ts'
import { startServer } from '../../../../testkit/services/test-server.ts'

const TABLE = readAccessTable()

let world: World
let callers: Callers

before(async () => {
  const service = await startServer()
  world = { service, client: await service.createAgent() }
  callers = await makeCallers(service, world.client)
})

after(() => world.service.close())

const isAdministration = (operation: string): boolean => operation.includes(' /api/v1/')

const requestOf = async (operation: string): Promise<OperationRequest> => {
  const make = OPERATIONS[operation] ?? assert.fail(`testkit/every-operation.ts has no ${operation}.`)
  return make(world)
}

type Cell = { readonly column: string; readonly credential: Credential }

const cellsWhere = (row: Row, isWanted: (cell: string) => boolean): readonly Cell[] =>
  [...row].flatMap(([column, cell]) =>
    isWanted(cell) ? (callers.get(column) ?? []).map(credential => ({ column, credential })) : [],
  )

const REALM = (): string => `realm="${world.service.baseUrl}"`

/** What WWW-Authenticate must say, for each part of the service. */
const challengesOf = (operation: string, status: string, { scheme }: Credential): readonly string[] => {
  const jwt = (error: string): string => `Bearer ${REALM()}, error="${error}"`
  if (status === '403') return scheme === 'Bearer' ? [jwt('insufficient_scope')] : []
  if (status !== '401') return []
  const plain = (...schemes: readonly string[]) => schemes.map(one => `${one} ${REALM()}`)
  switch (operation) {
    case 'POST /oauth/token':
      return plain('Basic')
    case 'POST /oauth/introspect/v2':
    case 'GET /oauth/revocation-feed':
    case 'GET /oauth/revocation-feed/snapshot':
    case 'GET /oauth/revocation-feed/segments/{epoch}/{range}':
    case 'GET /oauth/revocation-feed/changes':
    case 'GET /oauth/revocation-feed/stream':
    case 'POST /oauth/revocation-feed/positions':
      return plain(scheme === 'Basic' || scheme === 'Bearer' ? 'Basic' : 'ApiKey')
    case 'POST /oauth/global-token-revocation':
      return scheme === 'Bearer' ? [jwt('invalid_token')] : plain('Bearer')
    case 'POST /oauth/revoke':
      if (scheme === 'Bearer') return [jwt('invalid_token')]
      return plain(scheme === 'Basic' ? 'Basic' : 'Bearer')
    default:
      return scheme === 'Bearer' ? [jwt('invalid_token')] : plain('ApiKey', 'Bearer')
  }
}

const TAKE_JWTS = ['POST /oauth/revoke', 'POST /oauth/global-token-revocation']

const codeOf = (operation: string, status: string, { scheme }: Credential): string => {
  if (status === '403') return 'insufficient_scope'
  if (status === '400') return 'unsupported_response_type'
  const takesJwt = isAdministration(operation) || TAKE_JWTS.includes(operation)
  return takesJwt && scheme === 'Bearer' ? 'invalid_token' : 'invalid_client'
}

const assertRefused = (operation: string, status: string, credential: Credential, answer: Answer): void => {
  const { error } = answer.json as { readonly error: string }
  assert.deepEqual(
    { who: credential.who, status: String(answer.status), error, challenges: answer.challenges },
    {
      who: credential.who,
      status,
      error: codeOf(operation, status, credential),
      challenges: challengesOf(operation, status, credential),
    },
  )
}

/** A body, or a query, that would be refused as such: who may not hears nothing of it. */
const malformed = (request: OperationRequest): readonly OperationRequest[] => {
  if (request.body !== undefined) return [{ ...request, body: { surprise: true } }]
  return isAdministration(` ${request.path}`) && request.method === 'GET'
    ? [{ ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}surprise=1` }]
    : []
}

const sameAs = (request: OperationRequest): readonly OperationRequest[] =>
  request.method === 'GET' ? [{ ...request, method: 'HEAD' }] : []

/** They take the cookie of the console and no other credential: server/test/contract/console/ tries them. */
const OF_SESSIONS = /\/console\/(?:session|sign-in|callback|sign-out)$/

test('every operation has a row, and every row is an operation', () => {
  const routes = world.service.routes
    .filter(route => !route.startsWith('HEAD ') && !OF_SESSIONS.test(route))
    .map(route => /^GET \/(?:docs|console)\b/.exec(route)?.[0] ?? route.replaceAll(/:(\w+)/g, '{$1}'))
  assert.ok(routes.length > 40)
  assert.deepEqual([...TABLE.keys()].toSorted(), [...new Set(routes)].toSorted())
})

test('every row has a cell for every credential, each with a meaning', () => {
  for (const [operation, row] of TABLE) {
    assert.deepEqual([...row.keys()], [...callers.keys()], operation)
    for (const cell of row.values()) assert.match(cell, /^(?:✓|40[013])$/, operation)
  }
})

test('the OpenAPI document holds every operation of the other tables, with the permission and the role that suffice', async () => {
  const { paths } = (await get(world.service, '/openapi.json')).json as Document
  const isListed = ([operation]: readonly [string, Row]) =>
    !/^OPTIONS|\/(?:authorize|openapi\.json|docs|console|favicon\.(?:ico|svg))?$/.test(operation)
  const named = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  )
  assert.deepEqual(
    named.toSorted(),
    [...TABLE]
      .filter(isListed)
      .map(([operation]) => operation)
      .toSorted(),
  )
  for (const [operation, row] of [...TABLE].filter(isListed)) {
    const [method = '', path = ''] = operation.split(' ')
    const alternatives = paths[path]?.[method.toLowerCase()]?.security ?? []
    const sufficient = [...row].filter(([, cell]) => cell === '✓').map(([column]) => column)
    const permissions = sufficient.filter(column => column.startsWith('`')).map(column => column.replaceAll('`', ''))
    const role = ROLES.find(one => sufficient.includes(one))
    const isOpen = sufficient.includes('none')
    const needed = (scheme: string) => alternatives.find(one => scheme in one)?.[scheme]
    assert.deepEqual(needed('apiKey'), isOpen || permissions.length === 0 ? undefined : permissions, operation)
    assert.deepEqual(needed('identityProviderJwt'), isOpen || role === undefined ? undefined : [role], operation)
    assert.equal(needed('clientBasic') !== undefined, sufficient.includes('client') && !isOpen, operation)
  }
})

for (const [operation, row] of TABLE) {
  test(`${operation}: who may not is refused before the request is looked at, and changes nothing`, async () => {
    const request = await requestOf(operation)
    const earlier = contentOf(world.service.storeFile)
    for (const { column, credential } of cellsWhere(row, cell => cell !== '✓')) {
      for (const one of [request, ...malformed(request)]) {
        const answer = await sendAs(world.service, one, credential.headers)
        assertRefused(operation, row.get(column) ?? '', credential, answer)
      }
      for (const one of sameAs(request)) {
        const { status } = await sendAs(world.service, one, credential.headers)
        assert.equal(String(status), row.get(column), credential.who)
      }
    }
    assert.equal(contentOf(world.service.storeFile), earlier)
  })
}

// After all refusals: what these begin goes on in the background.
for (const [operation, row] of TABLE) {
  test(`${operation}: who may is answered`, async () => {
    for (const { credential } of cellsWhere(row, cell => cell === '✓')) {
      const request = await requestOf(operation)
      for (const one of [request, ...sameAs(request)]) {
        const { status, text } = await sendAs(world.service, one, credential.headers)
        assert.ok(status >= 200 && status < 300, `${credential.who}: ${status} ${text}`)
      }
    }
  })
}

test('an API key and a JWT at once: 400 on every operation of the administration, and nothing changes', async () => {
  const [key, jwt] = ['limited key', 'admin'].map(column => callers.get(column)?.[0]?.headers)
  for (const operation of [...TABLE.keys()].filter(isAdministration)) {
    const request = await requestOf(operation)
    const earlier = contentOf(world.service.storeFile)
    const description = 'The request authenticates itself by X-API-Key and by Authorization: choose one.'
    assertProblem(await sendAs(world.service, request, { ...key, ...jwt }), 400, 'invalid_request', description)
    assert.equal(contentOf(world.service.storeFile), earlier, operation)
  }
})

test('another method on any of the paths: 405, with Allow', async () => {
  const headers = await admin(world.service)
  for (const path of new Set([...TABLE.keys()].map(operation => operation.split(' ')[1] ?? ''))) {
    if (path === '/docs') continue
    const answer = await sendAs(world.service, { method: 'PUT', path }, headers)
    const routes = world.service.routes.map(route => route.split(' '))
    // /keys/rotate is also the path of a key of this name.
    const methods = routes.filter(([, url = '']) => new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`).test(path))
    const allow = [...new Set(methods.map(([method = '']) => method))].toSorted()
    assert.deepEqual([answer.status, answer.headers['allow']], [405, allow.join(', ')], path)
  }
})

test('a refusal names what is needed', async () => {
  const stop = await requestOf('POST /api/v1/agents/{id}/disable')
  const reported = async (column: string): Promise<string> => {
    const answer = await sendAs(world.service, stop, callers.get(column)?.[0]?.headers ?? {})
    return (answer.json as { readonly detail: string }).detail
  }
  assert.equal(await reported('`agents:read`'), 'This API key lacks the permission agents:write.')
  const needed = 'The subject of this JWT has no role that may stop agents: it needs operator or admin.'
  assert.equal(await reported('viewer'), needed)
})

test('a path with an id that is malformed or unknown: 404 not_found, for every operation with one', async () => {
  const [operator, { key }] = [await admin(world.service), await world.service.createApiKey('tokens:introspect')]
  for (const operation of [...TABLE.keys()].filter(one => one.includes('{'))) {
    const headers = isAdministration(operation) ? operator : { 'x-api-key': key }
    const [method = '', path = ''] = operation.split(' ')
    const { body } = await requestOf(operation)
    for (const id of ['nonsense', randomUUID()]) {
      const answer = await sendAs(world.service, { method, path: path.replaceAll(/\{\w+\}/g, id), body }, headers)
      const { error } = answer.json as { readonly error: string }
      assert.deepEqual([answer.status, error], [404, 'not_found'], `${operation}: ${answer.text}`)
    }
  }
})
