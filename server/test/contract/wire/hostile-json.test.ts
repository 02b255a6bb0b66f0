// Every operation with a body of JSON, and any JSON in the place of the body and of each member: never a 500.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { z } from 'zod'
import { OPERATIONS as ROWS } from '../../../../api/operations.ts'
import { admin, JSON_TYPE } from '../../../../testkit/callers/administration.ts'
import { OPERATIONS, type World } from '../../../../testkit/callers/every-operation.ts'
import { send } from '../../../../testkit/callers/requests.ts'
import { isThorough } from '../../../../testkit/loads/thorough.ts'
import { isPostgresTested } from '../../../../testkit/stores/store.ts'
import { startServer } from '../../../../testkit/services/test-server.ts'

const DEEP = 5000

/** Text of JSON, or nearly. */
const HOSTILE: readonly string[] = [
  'null',
  'true',
  '0',
  '-0',
  '1e999',
  '-1e308',
  '5e-324',
  '9007199254740993',
  '1.5',
  '""',
  '"0"',
  '[]',
  '{}',
  '"__proto__"',
  '"constructor"',
  '["__proto__"]',
  '[null]',
  '[[]]',
  '[{}]',
  '[1,"a"]',
  '{"__proto__":null}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{"a":1}}}',
  '{"\\u005f_proto__":1}',
  '{"toString":null,"valueOf":1}',
  '{"hasOwnProperty":"a"}',
  '{"then":"a"}',
  '{"toJSON":"a"}',
  '{"length":-1}',
  '{"a":1,"a":2}',
  '{"kty":"EC","kty":"RSA"}',
  '{"a":{"b":"c"}}',
  '{"":""}',
  '{"0":"a"}',
  `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  `[${'0,'.repeat(1900)}0]`,
  `{${Array.from({ length: 1900 }, (_, n) => `"m${n}":""`).join(',')}}`,
  '9'.repeat(400),
  `0.${'1'.repeat(400)}`,
]

/** Each place is tried with every so many of them, by turns; with fewer on PostgreSQL, for what reads JSON is shared. */
const TURNS = isPostgresTested() ? 10 : 4
const EVERY = isThorough ? 1 : TURNS

const textsFor = (turn: number): readonly string[] => HOSTILE.filter((_, n) => (n + turn) % EVERY === 0)

/** Where it stands in the body. */
const MARK = '"<<<hostile>>>"'

const inner = (schema: z.ZodType): z.ZodType => {
  const wrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
  return wrapped ? inner(schema.unwrap() as z.ZodType) : schema
}

/** The body with the mark in the place of each value in it, of each member that its schema knows, and of a member more. */
const placesIn = (body: unknown, schema?: z.ZodType): readonly string[] => {
  const known = schema === undefined ? undefined : inner(schema)
  const shape = known instanceof z.ZodObject ? known.shape : {}
  const said = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>
  const names = [...new Set([...Object.keys(shape), ...Object.keys(said)])]
  const within = names.flatMap(name =>
    placesIn(said[name], (shape as Readonly<Record<string, z.ZodType>>)[name]).map(place => [name, place] as const),
  )
  const put = ([name, place]: readonly [string, string]): string => {
    const rest = Object.entries(said).filter(([other]) => other !== name)
    const members = rest.map(([other, value]) => `${JSON.stringify(other)}:${JSON.stringify(value)}`)
    return Array.isArray(body)
      ? `[${body.map((item, n) => (String(n) === name ? place : JSON.stringify(item))).join(',')}]`
      : `{${[...members, `${JSON.stringify(name)}:${place}`].join(',')}}`
  }
  return [MARK, ...within.map(put)]
}

let world: World

before(async () => {
  const service = await startServer()
  world = { service, client: await service.createAgent() }
})

after(() => world.service.close())

for (const row of ROWS.filter(({ body }) => body !== undefined)) {
  test(`${row.route} answers any JSON in the place of its body and of each member, and never 500`, async () => {
    const { service } = world
    const headers = { ...JSON_TYPE, ...(await admin(service)) }
    const make = OPERATIONS[row.route]
    assert.ok(make)
    const { method, path, body } = await make(world)
    const bodies = placesIn(body, row.body).flatMap((place, turn) =>
      textsFor(turn).map(text => place.replace(MARK, () => text)),
    )
    assert.ok(bodies.length >= HOSTILE.length / EVERY)
    for (const text of bodies) {
      const { status, text: answer } = await send(service, { method, path, headers, body: text })
      assert.ok(status < 500, `${status} ${answer} to ${text.slice(0, 200)}`)
    }
  })
}
