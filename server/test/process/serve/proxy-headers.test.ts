// mintmark doctor sees through a proxy whether callers can choose the address that the service sees.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { after, test } from 'node:test'
import { examine } from '../../../../testkit/commands/doctor.ts'
import {
  freePorts,
  makeFolder,
  run,
  type Scope,
  serveVariables,
  start,
} from '../../../../testkit/commands/run-mintmark.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'

/** The proxy connects to the service from here, and the proxy's callers come from 127.0.0.1. */
const PROXY = '127.0.0.2'
const CALLER = '203.0.113.7'

type Headers = IncomingHttpHeaders

const without = (headers: Headers, ...names: readonly string[]): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))

/** What a proxy makes of the headers of its caller. */
const PROXIES = {
  appends: (headers: Headers): Headers => ({
    ...without(headers, 'forwarded'),
    'x-forwarded-for': [headers['x-forwarded-for'], CALLER].flat().filter(Boolean).join(', '),
  }),
  overwrites: (headers: Headers): Headers => ({ ...without(headers, 'forwarded'), 'x-forwarded-for': CALLER }),
  'passes on what it gets': (headers: Headers): Headers => headers,
  'appends, and passes on Forwarded': (headers: Headers): Headers => ({
    ...headers,
    'x-forwarded-for': [headers['x-forwarded-for'], CALLER].flat().filter(Boolean).join(', '),
  }),
  'names nobody': (headers: Headers): Headers => without(headers, 'forwarded', 'x-forwarded-for'),
  'hides /readyz': (headers: Headers): Headers => headers,
} as const

type Kind = keyof typeof PROXIES

/** A proxy in front of the service, of the kind that was set last. */
const startProxy = async (t: Scope, [port, servicePort]: readonly [number, number]) => {
  const proxy: { kind: Kind } = { kind: 'appends' }
  const server = createServer((asked, response) => {
    if (proxy.kind === 'hides /readyz' && asked.url?.startsWith('/readyz') === true) {
      response.writeHead(404).end()
      return
    }
    const { method, url: path, headers } = asked
    const sent = {
      host: '127.0.0.1',
      port: servicePort,
      localAddress: PROXY,
      method,
      path,
      headers: PROXIES[proxy.kind](headers),
    }
    const passed = request(sent, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    asked.pipe(passed)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return proxy
}

const startBehindProxy = async (t: Scope, trusted: string) => {
  const [folder, provider, ports] = [makeFolder(t), await startIdentityProvider(), await freePorts()]
  t.after(() => provider.close())
  const variables = {
    ...serveVariables(ports[0]),
    PORT: String(ports[1]),
    MINTMARK_IDP_ISSUER: provider.issuer,
    MINTMARK_IDP_AUDIENCE: provider.audience,
    MINTMARK_WORKERS: '1',
    MINTMARK_DRAIN_SECONDS: '0',
    ...(trusted !== '' && { MINTMARK_TRUSTED_PROXIES: trusted }),
  }
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  await start(t, folder, { args: ['serve'], variables, ready: /Mintmark serves/ })
  return { folder, variables, proxy: await startProxy(t, ports) }
}

type BehindProxy = Awaited<ReturnType<typeof startBehindProxy>>

const examineThrough = async ({ folder, variables, proxy }: BehindProxy, kind: Kind) => {
  proxy.kind = kind
  const found = await examine(folder, variables)
  assert.equal(found.statuses['service'], 'ok', found.messages('service').join())
  return {
    status: found.statuses['proxy_headers'],
    messages: found.messages('proxy_headers').join(),
    exitCode: found.exitCode,
  }
}

const FOUND: readonly (readonly [Kind, string, string, RegExp])[] = [
  ['appends', PROXY, 'ok', /^The address of a caller reaches the service, and a forged one does not\.$/],
  ['overwrites', PROXY, 'ok', /^The address of a caller reaches the service/],
  [
    'passes on what it gets',
    PROXY,
    'problem',
    /^A caller chooses the address .* it believed one that this command made up in X-Forwarded-For\. Have every proxy/,
  ],
  [
    'appends, and passes on Forwarded',
    PROXY,
    'warning',
    /^A caller who sends Forwarded hides behind the address of the proxy/,
  ],
  ['names nobody', PROXY, 'warning', /^Proxies are trusted, and no forwarded address reached the service/],
  [
    'appends',
    '',
    'warning',
    /is not believed: limits and the audit log see the address of the proxy\. Add the address of the proxy to MINTMARK_TRUSTED_PROXIES\.$/,
  ],
  ['names nobody', '', 'ok', /^No proxy names callers, and nobody is believed who does\.$/],
  ['appends', '127.0.0.0/8', 'ok', /^Not checked: this machine is one of the trusted proxies/],
  ['hides /readyz', PROXY, 'ok', /^Not checked: \/readyz is not reachable at http:/],
]

const WAYS = Map.groupBy(FOUND, ([, trusted]) => trusted)

/** One for all proxies that are trusted alike. */
const SERVICES = new Map<string, BehindProxy>()
for (const trusted of WAYS.keys()) SERVICES.set(trusted, await startBehindProxy({ after }, trusted))

for (const [trusted, service] of SERVICES) {
  const who = trusted === '' ? 'and is not trusted' : `and is trusted as ${trusted}`
  for (const [kind, , status, expected] of WAYS.get(trusted) ?? []) {
    test(`a proxy that ${kind} ${who}: ${status}`, async () => {
      const { messages, ...rest } = await examineThrough(service, kind)
      assert.match(messages, expected)
      assert.deepEqual(rest, { status, exitCode: status === 'problem' ? 1 : 0 })
    })
  }
}
