// The OpenAPI document as a document: valid by itself, named throughout, closed, and with examples that hold.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type Document, type Operation, readDescription } from '../../../../testkit/services/described.ts'
import { get } from '../../../../testkit/callers/requests.ts'
import { startServer } from '../../../../testkit/services/test-server.ts'

type Named = readonly [name: string, operation: Operation]

let document: Document
let operations: readonly Named[]

before(async () => {
  const service = await startServer()
  document = (await get(service, '/openapi.json')).json as Document
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
  )
  await service.close()
})

type Node = Readonly<Record<string, unknown>>

/** Every object of the document, with the way to it. */
const nodesOf = (at: string, value: unknown): readonly (readonly [string, Node])[] => {
  if (typeof value !== 'object' || value === null) return []
  const below = Object.entries(value).flatMap(([name, part]) => nodesOf(`${at}/${name}`, part))
  return Array.isArray(value) ? below : [[at, value as Node], ...below]
}

test('it is valid by the schema of OpenAPI 3.1', async () => {
  assert.equal(document.openapi, '3.1.0')
  const { valid, errors } = await new Validator().validate({ ...document })
  assert.ok(valid, JSON.stringify(errors, null, 2))
  const withoutTitle = await new Validator().validate({ ...document, info: {} })
  assert.ok(!withoutTitle.valid)
})

test('every schema in it is one of JSON Schema 2020-12, and every reference leads somewhere', () => {
  const ajv = new Ajv2020({ strict: false })
  for (const [at, { schema, $ref }] of nodesOf('', document)) {
    if (typeof schema === 'object' && schema !== null) assert.ok(ajv.validateSchema(schema), at)
    if (typeof $ref !== 'string') continue
    assert.match($ref, /^#\/components\//, at)
    const names = $ref.split('/').slice(1)
    const found = names.reduce<unknown>((node, name) => (node as Node | undefined)?.[name], document)
    assert.ok(found !== undefined, `${at} refers to ${$ref}`)
  }
})

test('every operation has an id of its own, a summary, a tag, and says which credentials it takes', () => {
  const ids = operations.map(([, { operationId }]) => operationId)
  assert.equal(new Set(ids).size, ids.length)
  for (const [name, { operationId = '', summary = '', tags, security }] of operations) {
    assert.match(operationId, /^[a-z][A-Za-z]+$/, name)
    assert.match(summary, /^[A-Z].*[^.]$/, name)
    assert.equal(tags?.length, 1, name)
    assert.match(tags?.[0] ?? '', /^[a-z-]+$/, name)
    assert.ok(security !== undefined, name)
  }
})

test('every answer says what it is, and every object in one names all its members', () => {
  for (const [name, { responses }] of operations) {
    assert.doesNotMatch(JSON.stringify(responses), /Default Response/, name)
    for (const [at, node] of nodesOf(name, responses)) {
      if (node['type'] === 'object') assert.ok('additionalProperties' in node, `${at} takes any member`)
    }
  }
})

/** Others decide on the members: secret scanners, and a draft that says nothing of more than one. */
const OPEN_BODIES = ['post /api/v1/leaked-secrets', 'post /oauth/global-token-revocation']

test('every JSON body that is taken is closed too, but where others decide on its members', () => {
  for (const [name, { requestBody }] of operations) {
    if (OPEN_BODIES.includes(name)) continue
    for (const [at, node] of nodesOf(name, requestBody?.content['application/json'])) {
      if (node['type'] === 'object' && !at.includes('/example')) assert.ok('additionalProperties' in node, at)
    }
  }
})

test('every operation with a body, and every answer in JSON, in its lines, in CSV or as a JWT, has an example that its schema takes', () => {
  const { holds } = readDescription(document)
  for (const [name, { requestBody, responses }] of operations) {
    const answer = responses['201'] ?? responses['200']
    for (const [part, content] of Object.entries({ body: requestBody?.content, answer: answer?.content })) {
      for (const [type, { schema, example }] of Object.entries(content ?? {})) {
        if (!/[/+](json|jwt)$|-ndjson$|^text\/csv$|form-urlencoded$/.test(type)) continue
        assert.ok(
          example !== undefined,
          `${name}: its row has no example of ${part === 'body' ? 'a body' : 'an answer'}`,
        )
        assert.deepEqual(holds(`${name} ${part}`, schema, example), [])
      }
    }
  }
})

/** An imported client keeps its own id; a request may bring one; a plan is signed text; who acted may be a user of the system. */
const NO_UUIDS = ['client_id', 'request_id', 'plan_id']

test('every id in an answer is a UUID, but for those that others may choose', () => {
  const seen = new Set<string>()
  for (const [name, { responses }] of operations) {
    for (const [at, { properties }] of nodesOf(name, responses)) {
      for (const [member, schema] of Object.entries((properties ?? {}) as Readonly<Record<string, unknown>>)) {
        if (!/_id$|^jti$/.test(member) || NO_UUIDS.includes(member)) continue
        assert.match(JSON.stringify(schema), /"format":"uuid"/, `${at}: ${member}`)
        seen.add(member)
      }
    }
  }
  assert.ok(seen.size > 8, [...seen].join(', '))
})
