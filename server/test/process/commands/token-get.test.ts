// mintmark token get: a token as an agent gets it, printed, or in the environment of a command that is run with it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import {
  environment,
  makeFolder,
  PROGRAM,
  run,
  runAlone,
  runShell,
  type Variables,
} from '../../../../testkit/commands/run-mintmark.ts'
import { createAgent, createApiKey, introspect, startServing } from '../../../../testkit/commands/serving.ts'

const serving = await startServing({ after })
const agent = createAgent(serving)
const apiKey = createApiKey(serving)

const CLIENT: Variables = {
  MINTMARK_URL: serving.url,
  MINTMARK_CLIENT_ID: agent.client_id,
  MINTMARK_CLIENT_SECRET: agent.client_secret,
}

const isActive = async (token: string): Promise<unknown> => (await introspect(serving, apiKey, token)).body['active']

const get = (t: TestContext, args: readonly string[] = [], variables: Variables = CLIENT) =>
  run(makeFolder(t), ['token', 'get', ...args], variables)

/** A command gets the streams of the process itself. */
const getAlone = (t: TestContext, args: readonly string[], variables: Variables = CLIENT) =>
  runAlone(makeFolder(t), ['token', 'get', ...args], variables)

test('without a command it prints the token and nothing else', async t => {
  const { status, stdout, stderr } = get(t)
  assert.deepEqual([status, stderr], [0, ''])
  assert.match(stdout, /^[\w.-]+\n$/)
  assert.equal(await isActive(stdout.trim()), true)
})

test('with --json it prints what the token is, with the names of the wire', async t => {
  const { stdout } = get(t, ['--json', '--scope', 'db:read'])
  const { access_token, ...rest } = JSON.parse(stdout) as Record<string, string>
  assert.equal(await isActive(access_token ?? ''), true)
  assert.deepEqual(Object.keys(rest), ['token_type', 'scope', 'expires_at'])
  assert.deepEqual([rest['token_type'], rest['scope']], ['Bearer', 'db:read'])
})

test('the agent, its secret and the service come from options and files too', async t => {
  const folder = makeFolder(t)
  writeFileSync(join(folder, 'secret'), `${agent.client_secret}\n`)
  const options = ['--url', serving.url, '--client-id', agent.client_id, '--client-secret-file', 'secret']
  for (const [args, variables, input] of [
    [options, {}, ''],
    [[...options.slice(0, -1), '-'], { MINTMARK_CLIENT_SECRET: 'of another' }, agent.client_secret],
    [[], { ...CLIENT, MINTMARK_CLIENT_SECRET: '', MINTMARK_CLIENT_SECRET_FILE: 'secret' }, ''],
  ] as const) {
    const { status, stdout, stderr } = run(folder, ['token', 'get', ...args], variables, input)
    assert.equal(status, 0, stderr)
    assert.equal(await isActive(stdout.trim()), true)
  }
})

test('a command gets the token, its arguments as they are, and not the secret of the agent', async t => {
  const script =
    'console.log(JSON.stringify([process.env.MINTMARK_ACCESS_TOKEN, process.env.MINTMARK_CLIENT_SECRET, ...process.argv.slice(1)]))'
  const { status, stdout, stderr } = getAlone(t, ['--', process.execPath, '-e', script, '--', '--json', '$HOME', 'a b'])
  assert.deepEqual([status, stderr], [0, ''])
  const [token, secret, ...rest] = JSON.parse(stdout) as readonly string[]
  assert.equal(await isActive(token ?? ''), true)
  assert.deepEqual([secret, rest], [null, ['--json', '$HOME', 'a b']])
})

test('a line of shell gets the token, and so does a command of mintmark', async t => {
  const line = `printf '%s' "$MINTMARK_ACCESS_TOKEN" | '${process.execPath}' '${PROGRAM}' token introspect - --json`
  const variables = { ...CLIENT, MINTMARK_API_KEY: apiKey.api_key }
  const { status, stdout, stderr } = getAlone(t, ['--exec', line], variables)
  assert.equal(status, 0, stderr)
  assert.equal((JSON.parse(stdout) as Record<string, unknown>)['active'], true)
})

test('it ends with the exit code of the command, and as shells do where it cannot be started', t => {
  const folder = makeFolder(t)
  writeFileSync(join(folder, 'no-program'), '')
  for (const [command, code] of [
    [['sh', '-c', 'exit 42'], 42],
    [['sh', '-c', 'kill -TERM $$'], 143],
    [['/nowhere/at-all'], 127],
    [['./no-program'], 126],
    [[''], 126],
  ] as const) {
    const { status } = run(folder, ['token', 'get', '--', ...command], CLIENT)
    assert.equal(status, code, command.join(' '))
  }
})

test('a signal goes to the command, and its end is awaited', async t => {
  const folder = makeFolder(t)
  const script =
    "process.on('SIGTERM', () => process.exit(7)); setInterval(() => undefined, 1000); console.log('ready')"
  const args = [PROGRAM, 'token', 'get', '--', process.execPath, '-e', script]
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: environment(CLIENT),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'close'), [7, null])
})

test('a refusal and a service that is away have their exit codes, and the secret is not printed', async t => {
  const away = createServer().listen(0, '127.0.0.1')
  await once(away, 'listening')
  const url = `http://127.0.0.1:${(away.address() as AddressInfo).port}`
  away.close()
  const wrong = 'mmc_of_nobody'
  for (const [variables, args, code, text] of [
    [{ ...CLIENT, MINTMARK_CLIENT_SECRET: wrong }, [], 4, /^mintmark: Client authentication failed/],
    [CLIENT, ['--scope', 'db:write'], 1, /^mintmark: /],
    [{ ...CLIENT, MINTMARK_URL: url }, [], 5, /^mintmark: No token can be had: ECONNREFUSED\.\n$/],
    [
      CLIENT,
      ['--private-key-file', 'none.pem'],
      5,
      /^mintmark: No token can be had: the file "none\.pem" cannot be read \(ENOENT\)/,
    ],
  ] as const) {
    const { status, stdout, stderr } = get(t, [...args, '--', 'echo', 'not run'], variables)
    assert.deepEqual([status, stdout], [code, ''], stderr)
    assert.match(stderr, text)
    assert.ok(!stderr.includes(wrong) && !stderr.includes(agent.client_secret))
  }
  const refused = get(t, ['--json'], { ...CLIENT, MINTMARK_CLIENT_SECRET: wrong })
  assert.equal((JSON.parse(refused.stderr) as Record<string, unknown>)['error'], 'invalid_client')
})

test('what is missing or contradicts itself is named, and nothing is asked', t => {
  for (const [variables, args, text] of [
    [{}, [], /Name the service that issues the token: --url or MINTMARK_URL\./],
    [{ MINTMARK_URL: serving.url }, [], /Name the agent: --client-id or MINTMARK_CLIENT_ID\./],
    [
      { ...CLIENT, MINTMARK_CLIENT_SECRET: '' },
      [],
      /A token is for an agent that says who it is: MINTMARK_CLIENT_SECRET/,
    ],
    [CLIENT, ['--exec', 'true', '--', 'true'], /Give a line to --exec or a command after --, not both\./],
    [CLIENT, ['--json', '--', 'true'], /--json prints the token, which a command gets instead\./],
    [CLIENT, ['--private-key-file', 'a', '--workload-token-file', 'b'], /cannot be used with option/],
    [CLIENT, ['--url', 'http://auth.example'], /--url <url>.*It /],
  ] as const) {
    const { status, stderr } = run(makeFolder(t), ['token', 'get', ...args], variables)
    assert.equal(status, 2, stderr)
    assert.match(stderr, text)
  }
})

test('the examples in its help run as they stand', t => {
  const folder = makeFolder(t)
  writeFileSync(join(folder, 'mintmark'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, { mode: 0o755 })
  serving.json('agent', 'change', agent.agent_id, '--resource', 'https://orders.example')
  const [, examples = ''] = run(folder, ['token', 'get', '--help']).stdout.split('Examples:\n')
  const lines = examples.trim().split('\n')
  assert.equal(lines.length, 3)
  for (const line of lines) {
    const { status, stdout, stderr } = runShell(folder, line, { ...CLIENT, PATH: `${folder}:${process.env['PATH']}` })
    assert.equal(status, 0, stderr)
    assert.match(stdout, /^(?:[\w-]+\.[\w-]+\.[\w-]+|\d+ characters)\n$/)
  }
})
