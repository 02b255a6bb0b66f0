// The strict readers of requests: forms, the Authorization header and JSON bodies, what they take and what they refuse.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import fc from 'fast-check'
import { anyCodePoint } from '../../../testkit/parsers/hostile-inputs.ts'
import { z } from 'zod'
import { OPERATIONS } from '../../../api/operations.ts'
import { decodeBasic, parseAuthorization } from '../../src/http/wire/authorization.ts'
import { decodeFormValue, parsePairs } from '../../../packages/verify/src/readers/form.ts'
import { parseBody } from '../../src/http/wire/fields.ts'
import { makeJsonReader, takeJson } from '../../src/http/wire/json-body.ts'

test('pairs of a form come in their order, decoded; an empty pair is passed over', () => {
  assert.deepEqual(parsePairs(''), [])
  assert.deepEqual(parsePairs('&&'), [])
  assert.deepEqual(parsePairs('a=1&b&=2&a=x=y&&c='), [
    ['a', '1'],
    ['b', ''],
    ['', '2'],
    ['a', 'x=y'],
    ['c', ''],
  ])
  assert.deepEqual(parsePairs('a+b=c+d+e&%61%2b=%C3%A4'), [
    ['a b', 'c d e'],
    ['a+', 'ä'],
  ])
})

test('a form that is not percent-encoded UTF-8 is none', () => {
  for (const text of ['a=%', 'a=%4', 'a=%zz', '%ff=1', 'a=%C3', 'a=%ED%A0%80', 'a=%C0%80', 'ok=1&b=%']) {
    assert.equal(parsePairs(text), undefined, text)
    assert.equal(parseBody(Buffer.from(text)), undefined, text)
  }
  assert.equal(parseBody(Buffer.from([0x61, 0x3d, 0xff])), undefined)
  assert.deepEqual(parseBody(Buffer.from('a=ä')), [['a', 'ä']])
})

test('one value is decoded as a form encodes it', () => {
  assert.deepEqual(['', 'a+b', 'a%20b', '%2B', '%'].map(decodeFormValue), ['', 'a b', 'a b', '+', undefined])
})

test('the scheme of Authorization is in lower case, and what follows it is trimmed', () => {
  assert.equal(parseAuthorization(undefined), undefined)
  assert.equal(parseAuthorization(''), undefined)
  assert.deepEqual(parseAuthorization('Bearer'), { scheme: 'bearer', credentials: '' })
  assert.deepEqual(parseAuthorization('BASIC  YTpi '), { scheme: 'basic', credentials: 'YTpi' })
  assert.deepEqual(parseAuthorization(' x'), { scheme: '', credentials: 'x' })
  assert.deepEqual(parseAuthorization('DPoP a b'), { scheme: 'dpop', credentials: 'a b' })
})

const basic = (text: string | Buffer): ReturnType<typeof decodeBasic> =>
  decodeBasic(Buffer.from(text).toString('base64'))

test('both halves of Basic are form-decoded, and a password that cannot be stands as it is', () => {
  assert.deepEqual(basic('a:b'), { user: 'a', password: 'b' })
  assert.deepEqual(basic(':'), { user: '', password: '' })
  assert.deepEqual(basic('a%3Ab:c:d'), { user: 'a:b', password: 'c:d' })
  assert.deepEqual(basic('a+b:c+d'), { user: 'a b', password: 'c d', rawPassword: 'c+d' })
  assert.deepEqual(basic('a:%41'), { user: 'a', password: 'A', rawPassword: '%41' })
  assert.deepEqual(basic('a:100%'), { user: 'a', password: '100%' })
})

test('what is no Basic is none: other base64, other bytes, no colon, a user that cannot be decoded', () => {
  for (const text of ['YTpi=', 'YTp', ' YTpi', 'YTpi\n', 'YT pi', 'YTo_', '', '!!!']) {
    assert.equal(decodeBasic(text), undefined, JSON.stringify(text))
  }
  assert.equal(basic(Buffer.from([0x61, 0x3a, 0xff])), undefined)
  assert.equal(basic('ab'), undefined)
  assert.equal(basic('%:b'), undefined)
})

const SCHEMA = z.strictObject({ name: z.string().max(5, 'is too long'), tags: z.array(z.string()).optional() })
const read = makeJsonReader(SCHEMA)

const refusalOf = (body: Buffer | null | undefined, reader = read) => {
  const parsed = reader(body)
  return 'error' in parsed ? [parsed.error.refusal.code, parsed.error.refusal.description] : parsed
}

const WANTED = 'The request has no JSON: send an object as application/json, in UTF-8.'

test('a JSON body is what its schema makes of it', () => {
  assert.deepEqual(read(Buffer.from(' {"name": "a", "tags": ["b", "b"]} ')), { value: { name: 'a', tags: ['b', 'b'] } })
})

test('a body that is absent, no bytes or no UTF-8 is answered with what is wanted, unless it may be left out', () => {
  const optional = makeJsonReader(z.strictObject({}).prefault({}))
  for (const body of [null, undefined]) {
    assert.deepEqual(refusalOf(body), ['invalid_request', WANTED])
    assert.deepEqual(optional(body), { value: {} })
  }
  assert.deepEqual(refusalOf(Buffer.from([0x22, 0xff, 0x22])), ['invalid_request', WANTED])
  assert.deepEqual(refusalOf('{}' as unknown as Buffer), ['invalid_request', WANTED])
})

test('one byte order mark before a JSON body is passed over, and a second one is not JSON', () => {
  assert.deepEqual(read(Buffer.from('\u{FEFF}{"name": "a"}')), { value: { name: 'a' } })
  assert.deepEqual(refusalOf(Buffer.from('\u{FEFF}\u{FEFF}{"name": "a"}')), [
    'invalid_request',
    'The body is not JSON.',
  ])
  const twice = Buffer.from('\u{FEFF}{"name":"a","name":"a"}')
  assert.deepEqual(refusalOf(twice), ['invalid_request', 'name is given twice: give each member once.'])
})

test('what is wrong is reported by the name of the member, and no unknown name or value is repeated', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['', 'The body is not JSON.'],
    ['{', 'The body is not JSON.'],
    ['[]', 'The body is missing, or is not of the type object.'],
    ['{}', 'name is missing, or is not of the type string.'],
    ['{"name":1}', 'name is missing, or is not of the type string.'],
    ['{"name":"abcdef"}', 'name is too long.'],
    ['{"name":"a","tags":["b",1]}', 'tags.1 is missing, or is not of the type string.'],
    ['{"name":"a","secret":"b"}', 'The body has a member that this operation does not know: secret.'],
    ['{"name":"a","__proto__":{}}', 'The body has a member that this operation does not know.'],
    ['{"name":"a","name":"a"}', 'name is given twice: give each member once.'],
    ['{"name":"a","\\u006eame":"a"}', 'name is given twice: give each member once.'],
    ['{"secret":1,"secret":1}', 'name is missing, or is not of the type string.'],
  ]
  for (const [body, description] of cases) {
    assert.deepEqual(refusalOf(Buffer.from(body)), ['invalid_request', description], body)
  }
})

test('what is wrong with a member of any JSON body is said in words of this interface, never in those of the schema', () => {
  const wrong = [null, true, false, 0, -1, 1.5, 1e300, '', 'x', ' x', [], [1], [null], [{}], {}, { a: 1 }, { a: [] }]
  const said = OPERATIONS.flatMap(({ id, body: schema, example: { body } = {} }) => {
    if (schema === undefined) return []
    const readBody = makeJsonReader(schema)
    const samples = wrong.map(value => (Array.isArray(body) ? [{ ...body[0], token: value }] : value))
    const members = Object.keys(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).properties ?? {})
    const bodies = members.flatMap(name => wrong.map(value => ({ ...(body as object), [name]: value })))
    return [...wrong, ...samples, ...bodies].flatMap(sent => {
      const answer = readBody(Buffer.from(JSON.stringify(sent)))
      return 'error' in answer ? [`${id}: ${answer.error.message}`] : []
    })
  })
  assert.ok(said.length > 200)
  const foreign = said.filter(text =>
    /Invalid|Unrecognized|Too (?:big|small)|expected|undefined|\brecord\b/i.test(text),
  )
  assert.deepEqual([...new Set(foreign)], [])
})

test('a body holds so many values, and one more is too large', () => {
  const tags = (count: number): Buffer => Buffer.from(JSON.stringify({ name: 'a', tags: Array(count).fill('') }))
  // The object, its two members and the array, in which the first value counts with the bracket.
  assert.ok('value' in read(tags(1997)))
  const description = 'The body holds more than 2000 values: send less.'
  assert.deepEqual(refusalOf(tags(1998)), ['request_too_large', description])
  const three = makeJsonReader(z.array(z.string()), { max: 3, advice: 'send two' })
  assert.ok('value' in three(Buffer.from('["",""]')))
  assert.deepEqual(refusalOf(Buffer.from('["","",""]'), three as typeof read), [
    'request_too_large',
    'The body holds more than 3 values: send two.',
  ])
})

test('a schema may name the error of a value, and no other than those of the contract', () => {
  const failing = (error: string) =>
    z.string().check(context => {
      context.issues.push({ code: 'custom', message: 'is bad', input: '', params: { error } })
    })
  for (const [error, code] of [
    ['invalid_scope', 'invalid_scope'],
    ['invalid_target', 'invalid_target'],
    ['server_error', 'invalid_request'],
  ] as const) {
    const failingReader = makeJsonReader(z.strictObject({ name: failing(error) }))
    assert.deepEqual(refusalOf(Buffer.from('{"name":"x"}'), failingReader), [code, 'name is bad.'])
  }
})

test('a type that the schema names in its own words is reported so, and a member __proto__ is none that is known', () => {
  const reader = makeJsonReader(z.strictObject({ name: z.string('must be a text') }))
  assert.deepEqual(refusalOf(Buffer.from('{"name":1}'), reader), ['invalid_request', 'name must be a text.'])
  const unknown = 'The body has a member that this operation does not know.'
  assert.deepEqual(refusalOf(Buffer.from('{"name":"x","__proto__":{}}'), reader), ['invalid_request', unknown])
})

test('a value that fits none of its types, and a check without a code, are refused as what they are', () => {
  const reader = makeJsonReader(z.object({ name: z.union([z.string(), z.number()]).refine(name => name !== 'x') }))
  assert.deepEqual(refusalOf(Buffer.from('{"name":[]}'), reader as unknown as typeof read), [
    'invalid_request',
    'name Invalid input.',
  ])
  assert.deepEqual(refusalOf(Buffer.from('{"name":"x"}'), reader as unknown as typeof read), [
    'invalid_request',
    'name Invalid input.',
  ])
  const unknown = 'The body has a member that this operation does not know.'
  assert.deepEqual(refusalOf(Buffer.from('{"name":"a","__proto__":{}}'), reader as unknown as typeof read), [
    'invalid_request',
    unknown,
  ])
})

const makeScope = () => {
  // Pairs as the query schema reads them.
  const querystringParser = (text: string) => ({ pairs: parsePairs(text) })
  const scope = fastify({ routerOptions: { querystringParser } })
  takeJson(scope)
  const schema = { body: z.strictObject({ name: z.string() }), querystring: z.object({ q: z.string() }) }
  scope.post('/', { schema }, request => ({ body: request.body }))
  return scope
}

test('a scope that takes JSON gives bodies to the reader of their schema, and knows no other type of content', async t => {
  const scope = makeScope()
  t.after(() => scope.close())
  const send = async (payload: string, type = 'application/json', url = '/?q=1') => {
    const { statusCode, body } = await scope.inject({ method: 'POST', url, payload, headers: { 'content-type': type } })
    return [statusCode, body]
  }
  assert.deepEqual(await send('{"name":"a"}'), [200, '{"body":{"name":"a"}}'])
  // Not what Node and Fastify make of JSON: the strict reader sees the bytes.
  const [status, text] = await send('{"name":"a","name":"b"}')
  assert.equal(status, 400)
  assert.match(String(text), /name is given twice/)
  assert.equal((await send('{"name":1}'))[0], 400)
  assert.equal((await send('{"name":"a"}', 'application/json', '/'))[0], 400)
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
    assert.equal((await send('{"name":"a"}', type))[0], 415, type)
  }
})

test('a scope that takes JSON refuses a route whose body has no schema of zod', async t => {
  const scope = fastify()
  t.after(() => scope.close())
  takeJson(scope)
  scope.post('/', { schema: { body: { type: 'object' } } }, () => ({}))
  await assert.rejects(async () => scope.ready(), /The schema of a body is a zod schema\./)
})

test('whatever the bytes, no reader throws', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.string({ unit: anyCodePoint }), (bytes, text) => {
      parseBody(Buffer.from(bytes))
      read(Buffer.from(bytes))
      read(Buffer.from(text))
      decodeBasic(text)
      decodeFormValue(text)
      const authorization = parseAuthorization(text)
      assert.equal(authorization?.scheme, authorization?.scheme.toLowerCase())
    }),
  )
})
