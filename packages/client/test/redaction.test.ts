// What holds a secret prints itself without it, whichever way it is printed.
import assert from 'node:assert/strict'
import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { after, before, test } from 'node:test'
import { format, inspect } from 'node:util'
import { createAdministration } from '../src/administration/create-administration.ts'
import type { AccessToken } from '../src/tokens/access-token.ts'
import { createTokenSource, type TokenSource } from '../src/tokens/token-source.ts'
import { goodToken, type LyingServer, startLyingServer } from './lying-server.ts'

const CANARY = 'canary.of.a.token'
let server: LyingServer
let source: TokenSource
let token: AccessToken

before(async () => {
  server = await startLyingServer(goodToken({ access_token: CANARY }))
  source = createTokenSource({ tokenEndpoint: server.url, clientId: 'reports', clientSecret: CANARY })
  token = await source.getToken()
})
after(() => server.close())

/** All that a console writes of a value. */
const printed = (value: unknown): string => {
  const chunks: string[] = []
  const sink = new Writable({
    write: (chunk, _, done) => {
      chunks.push(String(chunk))
      done()
    },
  })
  const console = new Console({ stdout: sink, stderr: sink })
  console.log(value)
  console.log('%s %o %O %j', value, value, value, value)
  console.dir(value, { depth: 9, showHidden: true })
  console.table([value])
  return chunks.join('')
}

const spellings = (value: object): readonly string[] => [
  printed(value),
  inspect(value, { depth: 9, showHidden: true, getters: true }),
  inspect(value, { depth: 9, showHidden: true, customInspect: false }),
  format('%s %o %j', value, value, value),
  JSON.stringify(value) ?? '',
  JSON.stringify({ nested: [value] }),
  // oxlint-disable-next-line typescript/no-base-to-string -- what a template would print of it is what is asked.
  String(value),
  inspect({ ...value }),
  inspect(structuredClone(JSON.parse(JSON.stringify(value)))),
  inspect(Object.entries(Object.getOwnPropertyDescriptors(value)), { depth: 9 }),
]

test('a token, what made it, and a promise of it print no secret', async () => {
  assert.equal(token.value, CANARY)
  const promise = source.getToken()
  await promise
  const administration = createAdministration({ url: server.url, apiKey: CANARY })
  for (const value of [token, source, promise, administration, { token }, [token], new Map([['token', token]])]) {
    for (const text of spellings(value)) assert.ok(!text.includes(CANARY), text)
  }
})

test('a token says that something is left out', () => {
  const { expiresAt } = token
  const shown = { value: '[redacted]', type: 'Bearer', scope: 'db:read', expiresAt: expiresAt.toJSON() }
  assert.equal(inspect(token), `AccessToken ${JSON.stringify(shown)}`)
  assert.deepEqual(JSON.parse(JSON.stringify(token)), shown)
  assert.equal(`Bearer ${token.toString()}`, 'Bearer AccessToken [redacted]')
})
