// What a command makes of answers that are not those of a service of ours: the wrong server, a broken one, a hostile one.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { showAgent } from '../../../../api/agents.ts'
import { connectApi } from '../../../src/cli/remote/api.ts'
import { CommandFailed } from '../../../src/cli/terminal/exit.ts'
import { connectRemote } from '../../../src/cli/remote/remote-transport.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { CERTIFICATE, PRIVATE_KEY } from '../../../../testkit/keys/loopback-certificate.ts'
import { makeFolder, runAside } from '../../../../testkit/commands/run-mintmark.ts'

const serve = async (t: TestContext, answer: RequestListener): Promise<string> => {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const failureOf = async (url: string): Promise<CommandFailed> => {
  const api = connectApi(connectRemote({ url, apiKey: 'key', operatorJwt: null }), TIMING)
  try {
    await api.call(showAgent, { path: { id: 'x' } })
  } catch (error) {
    assert.ok(error instanceof CommandFailed, String(error))
    return error
  }
  throw new Error('The answer was taken.')
}

const answering =
  (status: number, type: string, body: string): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': type }).end(body)

test('a certificate of an authority that is not known is answered with how to name it, and nothing was sent', async t => {
  let requests = 0
  const server = createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, () => void (requests += 1))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const { exitCode, message } = await failureOf(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
  assert.equal(exitCode, 5)
  assert.match(
    message,
    /authority that is not known here .*NODE_EXTRA_CA_CERTS\. Nothing was sent, and nothing changed\.$/,
  )
  assert.equal(requests, 0)
})

test('what does not speak TLS was sent nothing', async t => {
  const url = await serve(t, () => {})
  const { message } = await failureOf(url.replace('http:', 'https:'))
  assert.match(message, /Nothing was sent, and nothing changed\.$/)
})

const JSON_TYPE = 'application/json; charset=utf-8'
const PROBLEM = 'application/problem+json'
const problem = JSON.stringify({ error: 'x', error_description: 'The reason.' })

const WRONG: readonly (readonly [string, RequestListener, number, RegExp])[] = [
  ['a page for people', answering(200, 'text/html', '<html>'), 1, /status 200\): it is not JSON\.$/],
  ['no JSON', answering(200, JSON_TYPE, '{"agent_id":'), 1, /it is not an object of JSON/],
  ['a list', answering(200, JSON_TYPE, '[]'), 1, /it is not an object of JSON/],
  ['a member that is missing', answering(200, JSON_TYPE, '{"agent_id":7}'), 1, /agent_id is missing/],
  ['a redirect', answering(302, 'text/html', ''), 1, /redirects are not followed/],
  ['an error of another kind', answering(400, JSON_TYPE, '{"message":"no"}'), 1, /it is no error of Mintmark/],
  ['an error of ours', answering(409, PROBLEM, problem), 1, /^The reason\.$/],
  ['401 of a proxy', answering(401, 'text/html', '<html>'), 4, /status 401/],
  ['401', answering(401, PROBLEM, problem), 4, /^The reason\.$/],
  ['403', answering(403, PROBLEM, problem), 4, /^The reason\.$/],
  ['503', answering(503, PROBLEM, problem), 5, /^The reason\.$/],
  [
    '407 of a proxy',
    answering(407, 'text/html', ''),
    5,
    /cannot be reached: fetch failed.* a proxy .*\(407\)\. Whether/,
  ],
  ['502 of a proxy', answering(502, 'text/html', '<html>'), 5, /status 502/],
  [
    'a connection that is cut off',
    (_request, response) => void response.socket?.destroy(),
    5,
    /cannot be reached: .*Whether a change was made is unknown/,
  ],
  [
    'an answer that is cut off',
    (_request, response) => {
      response.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': '100' }).write('{"agent_id":', () => {
        response.socket?.destroy()
      })
    },
    5,
    /cannot be reached/,
  ],
]

for (const [title, answer, exitCode, message] of WRONG) {
  test(`an answer is refused in a sentence, with exit code ${exitCode}: ${title}`, async t => {
    const failure = await failureOf(await serve(t, answer))
    assert.match(failure.message, message)
    assert.equal(failure.exitCode, exitCode)
  })
}

test('an answer without end is given up', async t => {
  const chunk = Buffer.alloc(1_048_576, 'x')
  const url = await serve(t, (_request, response) => {
    response.writeHead(200, { 'content-type': JSON_TYPE })
    const more = (fault?: Error | null): void => {
      if (fault === undefined || fault === null) response.write(chunk, more)
    }
    more()
  })
  assert.match((await failureOf(url)).message, /more than \d+ bytes/)
})

test('a redirect does not carry the credential on', async t => {
  const seen: unknown[] = []
  const elsewhere = await serve(t, ({ headers }, response) => {
    seen.push(headers['x-api-key'])
    response.end()
  })
  const url = await serve(t, (_request, response) => response.writeHead(307, { location: elsewhere }).end())
  assert.match((await failureOf(url)).message, /redirects are not followed/)
  assert.deepEqual(seen, [])
})

const GOOD = '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'
const BAD = '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a11'

test('nothing that a terminal obeys is printed from an answer: not in a record, not as JSON, not from an error', async t => {
  const folder = makeFolder(t)
  const evil = '\u001B]0;owned\u0007\u009B2J\u202E\r\u2028'
  const url = await serve(t, (request, response) => {
    if (request.url?.endsWith(BAD) === true)
      return answering(404, PROBLEM, JSON.stringify({ error_description: evil }))(request, response)
    const agent = {
      agent_id: 'a',
      client_id: 'a',
      name: evil,
      scope: 'db:read',
      created_at: '2026-11-21T09:30:00.000Z',
    }
    return answering(200, JSON_TYPE, JSON.stringify({ ...agent, [evil]: [evil] }))(request, response)
  })
  const variables = { MINTMARK_URL: url, MINTMARK_API_KEY: 'key' }
  for (const args of [[GOOD], [GOOD, '--json'], [BAD]]) {
    const { status, stdout, stderr } = await runAside(folder, ['agent', 'show', ...args], { variables })
    assert.equal(status, args[0] === BAD ? 1 : 0, stderr)
    assert.match(stdout + stderr, /\\u001b\]0;owned\\u0007\\u009b2J\\u202e/)
    assert.doesNotMatch(stdout + stderr, /(?!\n)[\p{Cc}\u2028\u2029\u202E]/u)
    if (args[1] === '--json') assert.equal((JSON.parse(stdout) as { name: string }).name, evil)
  }
})

test('a dry run whose samples are none prints how many tokens would end, and shows none', async t => {
  const folder = makeFolder(t)
  for (const sample of [[null], ['x'], 'x', {}]) {
    const plan = { plan_id: 'plan', plan_expires_at: '2026-11-21T09:30:00.000Z' }
    const answer = JSON.stringify({ dry_run: true, tokens: 3, tokens_exact: true, sample, ...plan })
    const variables = { MINTMARK_URL: await serve(t, answering(200, JSON_TYPE, answer)), MINTMARK_API_KEY: 'key' }
    const ended = await runAside(folder, ['revocation', 'create', '--all', '--dry-run'], { variables })
    assert.deepEqual(ended, { status: 0, stdout: 'Tokens that would end: 3\n', stderr: '' })
  }
})
