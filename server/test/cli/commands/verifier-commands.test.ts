// mintmark verifier list, and how revocations wait for verifiers, run as a person runs them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { createRevocation } from '../../../../api/revocations.ts'
import { formatHeld } from '../../../src/cli/follow-revocation.ts'
import { get, postJson } from '../../../../testkit/callers/requests.ts'
import { NO_TERMINAL, runAtTerminal } from '../../../../testkit/commands/at-terminal.ts'
import { KEY, makeFolder, run, runAside } from '../../../../testkit/commands/run-mintmark.ts'
import { FEED, readHead } from '../../../../testkit/feed/feed-client.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const service = useService()
const follower = service.apiKey('tokens:introspect')

/** By the JWT of an operator, who both revokes and reads. */
const mintmark = async (t: TestContext, ...args: readonly string[]) => {
  const variables = { MINTMARK_OPERATOR_JWT: await service.provider.operatorJwt() }
  return runAside(makeFolder(t), [...args, '--url', service.origin], { variables })
}

const report = async (name: string, { epoch, position }: { epoch: string; position: number }): Promise<void> => {
  const headers = { 'x-api-key': follower.key }
  const answer = await postJson(service, `${FEED}/positions`, { name, epoch, position }, headers)
  assert.equal(answer.status, 204, answer.text)
  await service.settle()
}

/** Reports each change that comes, as a follower does, once. */
const applyNext = async (name: string): Promise<void> => {
  const { epoch, position } = await readHead(service, follower.key)
  const path = `${FEED}/changes?epoch=${epoch}&position=${position}&wait=25`
  assert.equal((await get(service, path, { 'x-api-key': follower.key })).status, 200)
  await report(name, { epoch, position: position + 1 })
}

/** Those of the tests before were last heard of too long ago to be counted. */
const begin = () => {
  service.clock.advance(3_600_000)
  return readHead(service, follower.key)
}

const CREATE = ['revocation', 'create', '--scope', 'no:one', '--yes', '--wait']

test('without a verifier a revocation says nothing of them', async t => {
  const { status, stderr } = await mintmark(t, ...CREATE)
  assert.deepEqual([status, stderr], [0, ''])
})

test('a revocation waits until the verifiers hold it, and says so', async t => {
  await report('orders-1', await begin())
  const applied = applyNext('orders-1')
  const { status, stdout, stderr } = await mintmark(t, ...CREATE, '--json')
  await applied
  assert.equal(status, 0, stderr)
  assert.match(stderr, /^held by 1 of 1 verifier(?: after \d+ ms)?\n$/)
  const { id, verifiers } = JSON.parse(stdout) as { readonly id: string; readonly verifiers: unknown }
  assert.deepEqual(verifiers, { total: 1, holding: 1, missing: [] })
  const shown = await mintmark(t, 'revocation', 'show', id, '--wait')
  assert.deepEqual([shown.status, shown.stderr], [0, 'held by 1 of 1 verifier\n'])
  assert.match(shown.stdout, /^verifiers +total=1 holding=1 missing=\[\]$/m)
})

test('who does not hold it after 5 s is named, with how long it was not heard of', async t => {
  const head = await begin()
  await report('<b>slow 🙃', head)
  service.clock.advance(12_000)
  await report('orders-2', head)
  const applied = applyNext('orders-2')
  const { status, stderr } = await mintmark(t, ...CREATE)
  await applied
  assert.equal(status, 0, stderr)
  assert.match(stderr, /^held by 1 of 2 verifiers after \d+ ms; 1 stale: <b>slow 🙃, since 12 s\n$/)
})

test('who ends the wait by Ctrl-C has read that the revocation holds', { skip: NO_TERMINAL }, async t => {
  await report('never', await begin())
  const variables = { MINTMARK_OPERATOR_JWT: await service.provider.operatorJwt() }
  const place = { folder: makeFolder(t), variables }
  const ended = await runAtTerminal(place, [...CREATE, '--url', service.origin], 'Ctrl-C', '\u0003')
  assert.equal(ended.status, 130, ended.shown)
  const [, id = ''] =
    /^Revocation (\S+) holds\. .* Ctrl-C ends the wait only\.$/m.exec(ended.shown.replaceAll('\r', '')) ?? []
  assert.equal((await mintmark(t, 'revocation', 'show', id)).status, 0, ended.shown)
})

test('where the service dies while verifiers are waited for, it is said that the revocation was made', async t => {
  const made = { ...createRevocation.example.answer, verifiers: { total: 2, holding: 1, missing: [] } }
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.socket?.destroy()
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(made))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const variables = { MINTMARK_API_KEY: 'key' }
  const { status, stdout, stderr } = await runAside(makeFolder(t), [...CREATE, '--url', url], { variables })
  assert.deepEqual([status, stdout], [5, ''])
  const holds = `Revocation ${made.id} was made before that, and holds: \`mintmark revocation show ${made.id} --wait\` follows it.\n`
  assert.ok(stderr.startsWith(`mintmark: ${url} cannot be reached: `) && stderr.endsWith(holds), stderr)
})

test('at most five are named, and the others counted', () => {
  const missing = Array.from({ length: 6 }, (_, n) => ({ name: `v${n}`, stale_seconds: 1.6 + n }))
  assert.equal(
    formatHeld({ total: 1100, holding: 98, missing }, 43.4),
    'held by 98 of 1,100 verifiers after 43 ms; 1002 stale: v0, since 2 s; v1, since 3 s; v2, since 4 s; v3, since 5 s; v4, since 6 s; and 997 more',
  )
})

test('verifier list prints who follows the feed and how far each is, of a service and of the store here', async t => {
  await report('listed', await begin())
  const asJson = await mintmark(t, 'verifier', 'list', '--json')
  const { data } = JSON.parse(asJson.stdout) as { readonly data: readonly { readonly name: string }[] }
  assert.ok(data.some(({ name }) => name === 'listed'))
  const { stdout } = await mintmark(t, 'verifier', 'list')
  assert.match(stdout, /^name +api_key_name +state +behind +position +stale_seconds +address$/m)
  assert.match(stdout, /^listed +tokens:introspect +current +0 +\d+ +0 +127\.0\.0\.1$/m)
  const folder = makeFolder(t)
  assert.equal(run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: KEY }).status, 0)
  const here = run(folder, ['verifier', 'list', '--json'])
  assert.deepEqual([here.status, here.stdout], [0, '{"data":[]}\n'])
})
