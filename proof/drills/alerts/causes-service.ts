// What causes the alerts about the service itself and about its callers.
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'
import { startIdentityProvider } from '../../../testkit/identity-providers/identity-provider.ts'
import { makeServerCertificate } from '../../../testkit/commands/serving-tls.ts'
import { writeFileSync } from 'node:fs'
import { withFile } from '../../../testkit/stores/store-file.ts'
import { type Causing, startWatched, type WatchedService } from './watched-service.ts'

const DAY_MS = 86_400_000
const CONNECTIONS = 2000

/** Starts a service and what its alerts rest on. `after`: what must happen once it is scraped. */
export type Cause = {
  readonly alerts: readonly string[]
  readonly start: (causing: Causing) => Promise<WatchedService>
  readonly after?: (service: WatchedService, causing: Causing) => Promise<void>
}

/** Sends requests that wait for nothing over many connections at once, so that more arrive in a turn than one starts. */
const floodProbes = async ({ port }: WatchedService, { scope, signal }: Causing): Promise<void> => {
  while (!signal.aborted) {
    const sockets = Array.from({ length: CONNECTIONS }, () => connect(port, '127.0.0.1').on('error', () => undefined))
    scope.after(() => sockets.forEach(socket => socket.destroy()))
    await Promise.allSettled(sockets.map(socket => once(socket.resume(), 'connect')))
    for (let n = 0; n < 50 && !signal.aborted; n += 1) {
      for (const socket of sockets) socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
      await delay(20)
    }
    for (const socket of sockets) socket.destroy()
  }
}

/** Stops and continues the service, as a machine does that has no processor time for it. */
const stopAndGo = async ({ running }: WatchedService, { signal }: Causing): Promise<void> => {
  while (!signal.aborted) {
    running.signal('SIGSTOP')
    await delay(600)
    running.signal('SIGCONT')
    await delay(300)
  }
}

const endThreads: Cause = {
  alerts: ['MintmarkThreadEnds'],
  start: causing => {
    const preload = pathToFileURL(join(import.meta.dirname, 'end-thread-at-signal.ts')).href
    return startWatched(causing, () => ({ NODE_OPTIONS: `--import ${preload}` }))
  },
  after: async ({ running }) => running.signal('SIGWINCH'),
}

const closeProvider: Cause = {
  alerts: ['MintmarkKeySetFails'],
  start: async causing => {
    const provider = await startIdentityProvider()
    causing.scope.after(() => provider.close())
    const idp = { MINTMARK_IDP_ISSUER: provider.issuer, MINTMARK_IDP_AUDIENCE: provider.audience }
    const service = await startWatched(causing, () => idp)
    const authorization = `Bearer ${await provider.operatorJwt()}`
    await provider.close()
    service.busy(1, () => fetch(`${service.url}/api/v1/agents`, { headers: { authorization } }))
    return service
  },
}

const expireCertificate: Cause = {
  alerts: ['MintmarkCertificateExpires'],
  start: causing => {
    const { cert, key } = makeServerCertificate(Date.now() + 3 * DAY_MS)
    return startWatched(causing, (folder, port) => {
      const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')]
      writeFileSync(certFile, cert)
      writeFileSync(keyFile, key, { mode: 0o600 })
      const base = { MINTMARK_BASE_URL: `https://127.0.0.1:${port}` }
      return { ...base, MINTMARK_TLS_CERT_FILE: certFile, MINTMARK_TLS_KEY_FILE: keyFile }
    })
  },
}

export const SERVICE_CAUSES: readonly Cause[] = [
  { alerts: ['MintmarkDown'], start: startWatched, after: async ({ running }) => void (await running.stop()) },
  {
    alerts: ['MintmarkFaults'],
    start: startWatched,
    after: async ({ file, json, url, busy }) => {
      const { api_key: key } = json('api-key', 'create', '--name', 'k', '--permission', 'agents:read') as {
        api_key: string
      }
      withFile(file, db => db.exec(`update agent set labels = 'nonsense'`))
      busy(1, () => fetch(`${url}/api/v1/agents`, { headers: { 'x-api-key': key } }))
    },
  },
  {
    alerts: ['MintmarkShedding'],
    start: causing => startWatched(causing, () => ({ MINTMARK_WORKERS: '1' })),
    after: async (service, causing) => void floodProbes(service, causing),
  },
  endThreads,
  {
    alerts: ['MintmarkEventLoopDelayed'],
    start: startWatched,
    after: async (service, causing) => void stopAndGo(service, causing),
  },
  {
    alerts: ['MintmarkGuessing'],
    start: startWatched,
    after: async ({ busy, issue }) => busy(8, () => issue({ client_secret: 'a guess' })),
  },
  {
    alerts: ['MintmarkAgentAtLimit'],
    start: startWatched,
    after: async ({ busy, issue, json, agent }) => {
      json('agent', 'change', agent.agent_id, '--tokens-per-minute', '1')
      busy(4, () => issue())
    },
  },
  {
    alerts: ['MintmarkLimitReached'],
    start: causing => startWatched(causing, () => ({ MINTMARK_CONNECTIONS_MAX: '16' })),
    after: async ({ busy, issue }) => busy(40, () => issue()),
  },
  closeProvider,
  expireCertificate,
]
