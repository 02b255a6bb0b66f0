// `mintmark serve` reads the identity providers of its configuration file again when it changes.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { until } from '../../../../testkit/processes/until.ts'
import {
  freePorts,
  makeFolder,
  run,
  type Scope,
  serveVariables,
  start,
} from '../../../../testkit/commands/run-mintmark.ts'
import {
  type IdentityProvider,
  startIdentityProvider,
} from '../../../../testkit/identity-providers/identity-provider.ts'

const LIMIT = { timeout: 300_000 }

const memberOf = ({ issuer, audience }: IdentityProvider) => ({ issuer, audience })

const startWith = async (t: Scope, providers: readonly IdentityProvider[], fixed: IdentityProvider) => {
  const [folder, [port]] = [makeFolder(t), await freePorts()]
  const path = join(folder, 'mintmark.json')
  const write = (content: string): void => {
    writeFileSync(`${path}.new`, content)
    renameSync(`${path}.new`, path)
  }
  const name = (...named: readonly IdentityProvider[]): void =>
    write(JSON.stringify({ identity_providers: named.map(memberOf) }))
  name(...providers)
  const variables = {
    ...serveVariables(port),
    MINTMARK_IDP_ISSUER: fixed.issuer,
    MINTMARK_IDP_AUDIENCE: fixed.audience,
    MINTMARK_CONFIG_FILE: path,
    MINTMARK_WORKERS: '2',
    MINTMARK_DRAIN_SECONDS: '0',
  }
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  const timing = { reloadPollMs: 100, reloadSettleMs: 20 }
  const ready = /another audience\.\n/
  const running = await start(t, folder, { timing, args: ['serve'], variables, ready })
  const get = async (asked: string, headers: Readonly<Record<string, string>> = {}) => {
    const sent = request({ host: '127.0.0.1', port, path: asked, headers, agent: false })
    sent.end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return { status: response.statusCode ?? 0, body: await text(response) }
  }
  /** What an operator of the provider is answered, over connections that either thread may take. */
  const statusesFor = async (provider: IdentityProvider, connections = 16): Promise<string> => {
    const jwt = await provider.operatorJwt()
    const headers = { authorization: `Bearer ${jwt}` }
    const answers = await Promise.all(Array.from({ length: connections }, () => get('/api/v1/tokens', headers)))
    return [...new Set(answers.map(({ status }) => status))].join()
  }
  // Many are asked only once one is answered so.
  const untilAnswered = (provider: IdentityProvider, status: string): Promise<void> =>
    until(
      `${status} for ${provider.issuer}`,
      async () => (await statusesFor(provider, 1)) === status && (await statusesFor(provider)) === status,
    )
  /** What creations of agents that receive this audience are answered, over connections that either thread may take. */
  const statusesOfReceiver = async (audience: string): Promise<string> => {
    const authorization = `Bearer ${await fixed.operatorJwt({ role: 'mintmark-admin' })}`
    const create = async () => {
      const body = JSON.stringify({ name: randomUUID(), scope: 'db:read', receives: [audience] })
      const headers = { authorization, 'content-type': 'application/json', connection: 'close' }
      return (await fetch(`http://127.0.0.1:${port}/api/v1/agents`, { method: 'POST', headers, body })).status
    }
    return [...new Set(await Promise.all(Array.from({ length: 16 }, create)))].join()
  }
  return { running, write, name, get, statusesFor, statusesOfReceiver, untilAnswered }
}

const OTHER_AUDIENCE = 'https://other.test'

const [fixed, first, second] = await Promise.all([
  startIdentityProvider(),
  startIdentityProvider(),
  startIdentityProvider({ audience: OTHER_AUDIENCE }),
])
after(() => Promise.all([fixed, first, second].map(one => one.close())))
/** One service for both tests. The first test removes a provider that was there at the start. */
const { running, write, name, get, statusesFor, statusesOfReceiver, untilAnswered } = await startWith(
  { after },
  [first],
  fixed,
)

test(
  'operators of an added provider are recognized, of a removed one refused, and of the others as before',
  LIMIT,
  async () => {
    assert.deepEqual(
      [await statusesFor(fixed), await statusesFor(first), await statusesFor(second)],
      ['200', '200', '401'],
    )
    assert.equal(await statusesOfReceiver(OTHER_AUDIENCE), '201')
    name(first, second)
    await untilAnswered(second, '200')
    assert.equal(await statusesOfReceiver(OTHER_AUDIENCE), '400')
    assert.deepEqual([await statusesFor(fixed), await statusesFor(first)], ['200', '200'])
    name(second)
    await untilAnswered(first, '401')
    assert.deepEqual([await statusesFor(fixed), await statusesFor(second)], ['200', '200'])
    // A JWT that was verified before is refused like any other.
    name()
    await untilAnswered(second, '401')
    assert.equal(await statusesFor(fixed), '200')
  },
)

test(
  'a file with a mistake keeps the providers that were read, is logged and reported, and is read once it is right',
  LIMIT,
  async () => {
    name(first)
    await untilAnswered(first, '200')
    type Body = {
      readonly components: readonly { readonly check?: string; readonly status: string; readonly reason?: string }[]
    }
    const stateOf = async () => {
      const { components } = JSON.parse((await get('/readyz?verbose')).body) as Body
      return components.find(({ check }) => check === 'reloaded_files')
    }
    const untilWarned = async (): Promise<void> => {
      await until('reloaded_files warning', async () => (await stateOf())?.status === 'warning')
    }
    for (const wrong of [
      '{"identity_providers": [',
      JSON.stringify({ identity_providers: [memberOf(fixed)] }),
      '{"x":1}',
    ]) {
      name(first)
      await until('reloaded_files ok', async () => (await stateOf())?.status === 'ok')
      write(wrong)
      await untilWarned()
      assert.deepEqual([await statusesFor(fixed), await statusesFor(first)], ['200', '200'])
    }
    assert.equal(
      (await stateOf())?.reason,
      'The configuration file: files were changed and cannot be used, so the earlier content is in use.',
    )
    name(second)
    await untilAnswered(second, '200')
    assert.equal(await statusesFor(first), '401')
    await until('reloaded_files ok', async () => (await stateOf())?.status === 'ok')
    const { stderr } = await running.stop()
    assert.match(stderr, /stays in use: MINTMARK_CONFIG_FILE names .*, which is not JSON/)
    assert.match(stderr, /stays in use: MINTMARK_CONFIG_FILE names the identity provider .* again/)
  },
)
