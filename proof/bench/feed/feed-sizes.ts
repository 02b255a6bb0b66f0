// How large the snapshot of the revocation feed is, and how long a follower takes to hold it: made, signed and transferred by
// a real `mintmark serve` on the embedded store, verified and loaded by @mintmark/verify. And how large one mass revocation is.
import { gzipSync } from 'node:zlib'
import { setTimeout as delay } from 'node:timers/promises'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet, type JWTPayload } from 'jose'
import { createVerifier } from '../../../packages/verify/src/index.ts'
import { type Changes, isUnreadable, readChanges } from '../../../packages/verify/src/feed/document.ts'
import { makeFacts } from '../../../packages/verify/src/feed/facts.ts'
import { startIdentityProvider } from '../../../testkit/identity-providers/identity-provider.ts'
import type { IdentityProvider } from '../../../testkit/identity-providers/identity-provider.ts'
import { processorSeconds } from '../../../testkit/processes/process-costs.ts'
import { fillFeed } from '../../../testkit/stores/fill-feed.ts'
import { fillStore } from '../../../testkit/stores/fill-store.ts'
import { formatTable, publish, type Row } from '../figures.ts'
import { type Cores, describeMachine, divideCores } from '../machine.ts'
import { readOptions } from '../../options.ts'
import { runBench } from '../run-bench.ts'
import { install, type Installation, type MintmarkServer, serve } from '../servers/mintmark-server.ts'

const options = readOptions({
  least: 1000,
  middle: 100_000,
  most: 1_000_000,
  mass: 1_000_000,
  workers: 1,
  record: false,
})

const READY_MS_MAX = 120_000
const MIB = 2 ** 20
const AGAIN_MS = 1000
const TRIES_MAX = 60

type Timed<T> = { readonly value: T; readonly seconds: number }

const timed = async <T>(run: () => Promise<T>): Promise<Timed<T>> => {
  const start = performance.now()
  const value = await run()
  return { value, seconds: (performance.now() - start) / 1000 }
}

type FeedSnapshot = { readonly epoch: string; readonly segments: readonly (readonly [from: number, to: number])[] }

const payloadOf = (text: string): unknown => JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString())

/** A snapshot that takes longer than an answer may is 503, and made further by the next request for it. */
const getText = async (server: Pick<Installation, 'baseUrl' | 'apiKey'>, path: string, tries = 1): Promise<string> => {
  const { baseUrl, apiKey } = server
  const response = await fetch(`${baseUrl}${path}`, { headers: { 'x-api-key': apiKey } })
  const text = await response.text()
  if (response.status === 503 && tries < TRIES_MAX) {
    console.error(`asking again for ${path}`)
    await delay(AGAIN_MS)
    return getText(server, path, tries + 1)
  }
  if (response.status !== 200) throw new Error(`${path} was answered ${response.status}: ${text.slice(0, 300)}`)
  return text
}

/** The snapshot, then its segments one after another. */
const readDocuments = async (server: Installation): Promise<readonly string[]> => {
  const snapshot = await getText(server, '/oauth/revocation-feed/snapshot')
  // As docs/apis/feed-protocol.md defines it.
  const { epoch, segments } = payloadOf(snapshot) as FeedSnapshot
  const documents = [snapshot]
  for (const [from, to] of segments) {
    documents.push(await getText(server, `/oauth/revocation-feed/segments/${epoch}/${from}-${to}`))
  }
  return documents
}

const verifyAll = async (documents: readonly string[], keySet: JSONWebKeySet): Promise<readonly JWTPayload[]> => {
  const keys = createLocalJWKSet(keySet)
  const payloads: JWTPayload[] = []
  for (const text of documents) {
    const { payload } = await compactVerify(text, keys)
    payloads.push(JSON.parse(Buffer.from(payload).toString()) as JWTPayload)
  }
  return payloads
}

const changesIn = (payload: JWTPayload): Changes => {
  const changes = readChanges(payload)
  if (isUnreadable(changes)) throw new Error(changes.unreadable)
  return changes
}

const load = (epoch: string, segments: readonly JWTPayload[]) => {
  const facts = makeFacts(epoch)
  for (const segment of segments) facts.apply(changesIn(segment))
  return facts
}

const untilFresh = async ({ baseUrl, apiKey }: Installation): Promise<void> => {
  const verifier = createVerifier({ issuer: baseUrl, audience: baseUrl, apiKey, whenStale: 'refuse' })
  const { isFresh } = await verifier.ready(READY_MS_MAX)
  verifier.close()
  if (!isFresh) throw new Error('A verifier did not hold the feed in time.')
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const measureSnapshot = async (server: MintmarkServer, count: number): Promise<Row> => {
  // The process answers its first request more slowly than any other.
  await getText(server, '/oauth/revocation-feed')
  const before = processorSeconds(server.pid)
  const { value: documents, seconds: made } = await timed(() => readDocuments(server))
  const spent = processorSeconds(server.pid) - before
  const { seconds: again } = await timed(() => readDocuments(server))
  const keySet = JSON.parse(await getText(server, '/.well-known/jwks.json')) as JSONWebKeySet
  const { value: payloads, seconds: verified } = await timed(() => verifyAll(documents, keySet))
  const [snapshot, ...segments] = payloads
  const { value: facts, seconds: loaded } = await timed(async () => load(String(snapshot?.['epoch']), segments))
  const { seconds: fresh } = await timed(() => untilFresh(server))
  const { ends, bytes: held } = facts.sizes()
  if (ends !== count) throw new Error(`The documents hold ${ends} tokens, and not ${count}.`)
  const bytes = sum(documents.map(text => text.length))
  const gzipped = sum(documents.map(text => gzipSync(text).length))
  const sizes = [String(documents.length), bytes / 1000, bytes / count, gzipped / 1000, gzipped / count]
  return [count.toLocaleString('en'), ...sizes, made, spent, again, verified, loaded, fresh, held / MIB]
}

const TITLES = [
  'revoked live tokens',
  'documents',
  'kB',
  'bytes a token',
  'gzipped kB',
  'gzipped bytes a token',
  'make, sign, transfer s',
  'of it processor s of the service',
  'transfer again s',
  'verify s',
  'load s',
  'verifier: start to fresh s',
  'verifier MiB',
]

type World = { readonly provider: IdentityProvider; readonly cores: Cores }

const withInstallation = async <T>(
  { provider, cores }: World,
  fill: (installation: Installation) => void,
  use: (server: MintmarkServer) => Promise<T>,
): Promise<T> => {
  await using started = new AsyncDisposableStack()
  const installation = started.adopt(await install(provider, options.workers), one => one.remove())
  fill(installation)
  return await use(started.adopt(await serve(installation, { cores }), one => one.stop()))
}

/** The query of a follower that holds everything. */
const standing = async (server: Installation): Promise<string> => {
  const head: unknown = JSON.parse(await getText(server, '/oauth/revocation-feed'))
  const { epoch, position } = head as { readonly epoch: string; readonly position: number }
  return `epoch=${epoch}&position=${position}`
}

/** Ends every token of an agent, and returns the cut-offs of the feed by which followers know. */
const endAll = async (server: MintmarkServer): Promise<readonly object[]> => {
  const before = await standing(server)
  const headers = { authorization: `Bearer ${server.operatorJwt}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ agent_id: server.agent.agent_id, note: 'bench' })
  const response = await fetch(`${server.baseUrl}/api/v1/revocations`, { method: 'POST', headers, body })
  if (response.status !== 201) throw new Error(`The revocation was answered ${response.status}.`)
  const changes = await getText(server, `/oauth/revocation-feed/changes?${before}&wait=5`)
  const { ended, cut_offs: cutOffs } = payloadOf(changes) as {
    readonly ended: object
    readonly cut_offs: readonly object[]
  }
  if (Object.keys(ended).length > 0) throw new Error('A mass revocation ended tokens one by one.')
  return cutOffs
}

const measureMass = (world: World): Promise<string> =>
  withInstallation(
    world,
    installation => void fillStore(installation, { live: options.mass, ended: 0, samples: 0, ofOneAgent: true }),
    async server => {
      const cutOffs = await endAll(server)
      const bytes = sum(cutOffs.map(cutOff => Buffer.byteLength(JSON.stringify(cutOff))))
      return `${options.mass.toLocaleString('en')} live tokens of an agent ended at once: ${cutOffs.length} fact of ${bytes} bytes, ${JSON.stringify(cutOffs)}`
    },
  )

const run = async (): Promise<void> => {
  const cores = divideCores()
  const facts = describeMachine(cores)
  await using started = new AsyncDisposableStack()
  const provider = started.adopt(await startIdentityProvider(), one => one.close())
  const world = { provider, cores }
  const rows: Row[] = []
  for (const count of [options.least, options.middle, options.most]) {
    console.error(`${count} revoked live tokens`)
    rows.push(
      await withInstallation(
        world,
        installation => fillFeed(installation, count),
        server => measureSnapshot(server, count),
      ),
    )
  }
  console.error(`${options.mass} live tokens`)
  const mass = await measureMass(world)
  publish(
    { title: 'Sizes of the revocation feed', facts: [...facts, mass], tables: [formatTable(TITLES, rows)] },
    options.record,
  )
}

await runBench(options, run)
