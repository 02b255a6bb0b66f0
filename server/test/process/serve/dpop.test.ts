// DPoP at a real service: several threads know one nonce and one register of proofs, and so does the next process.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { makeProof, makeProofKey } from '../../../../testkit/keys/dpop.ts'
import { basic, FORM } from '../../../../testkit/callers/requests.ts'
import { freePorts, KEY, makeFolder, run, start, type Variables } from '../../../../testkit/commands/run-mintmark.ts'

type World = { readonly folder: string; readonly url: string; readonly variables: Variables; readonly header: object }

const makeWorld = async (t: TestContext): Promise<World> => {
  const folder = makeFolder(t)
  const [port] = await freePorts()
  const url = `http://127.0.0.1:${port}`
  const variables = {
    MINTMARK_KEY_ENCRYPTION_KEY: KEY,
    MINTMARK_BASE_URL: url,
    MINTMARK_IDP_ISSUER: 'https://login.example.com',
    MINTMARK_IDP_AUDIENCE: 'mintmark',
    MINTMARK_WORKERS: '2',
    HOST: '127.0.0.1',
    PORT: String(port),
  }
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  const options = ['--name', 'a', '--scope', 'db:read', '--default-scope', 'db:read', '--dpop-bound-access-tokens']
  const created = run(folder, ['agent', 'create', ...options, '--json'])
  const { client_id, client_secret } = JSON.parse(created.stdout) as { client_id: string; client_secret: string }
  return { folder, url, variables, header: basic(client_id, client_secret) }
}

const serve = ({ folder, variables }: World, t: TestContext) =>
  start(t, folder, { args: ['serve'], variables, ready: /another audience\.\n/ })

/** On a connection of its own, so that any thread may get it. */
const ask = async ({ url, header }: World, dpop: string) => {
  const headers = { ...FORM, ...header, dpop }
  const asked = request(`${url}/oauth/token`, { method: 'POST', headers, agent: false })
  asked.end('grant_type=client_credentials')
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const { error = 'none' } = JSON.parse(await text(response)) as { error?: string }
  return { error, nonce: response.headers['dpop-nonce'] }
}

const key = makeProofKey()

const proofOf = ({ url }: World, nonce: unknown): string =>
  makeProof(key, { claims: { htu: `${url}/oauth/token`, iat: Date.now() / 1000, jti: randomUUID(), nonce } })

test('a proof gets one token, whichever thread it is sent to, and none after the process was killed', async t => {
  const world = await makeWorld(t)
  const first = await serve(world, t)
  const { error, nonce } = await ask(world, proofOf(world, undefined))
  assert.equal(error, 'use_dpop_nonce')
  const proof = proofOf(world, nonce)
  const answers = await Promise.all(Array.from({ length: 60 }, () => ask(world, proof)))
  const errors = answers.map(answer => answer.error).toSorted()
  assert.deepEqual(errors, [...Array.from({ length: 59 }, () => 'invalid_dpop_proof'), 'none'])
  first.signal('SIGKILL')
  await first.stop()
  await serve(world, t)
  assert.equal((await ask(world, proof)).error, 'invalid_dpop_proof')
  // The nonce of the process before is one of this, too.
  const fresh = await Promise.all(Array.from({ length: 12 }, () => ask(world, proofOf(world, nonce))))
  assert.deepEqual(new Set(fresh.map(answer => answer.error)), new Set(['none']))
})
