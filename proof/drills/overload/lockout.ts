// The lockout drill: the right secret of a client gets its token at once, however many wrong secrets for the same client come
// from other addresses. docs/development/drills.md says what it shows and what it cannot.
import { setTimeout as delay } from 'node:timers/promises'
import { makeBound } from '../../options.ts'
import { formatCount, print, readOptions, runOnStores } from '../drill.ts'
import { type Access, issueRequest } from '../requests.ts'
import { STORES } from '../stores.ts'
import { makeWorld } from '../strangers/world.ts'
import { type Connections, keepConnections } from './connections.ts'
import { mannerOf, prebuild } from './flood-kinds.ts'
import type { FloodCounts } from './flood-senders.ts'
import { judgeLockout, type RightSecrets } from './judge-lockout.ts'
import { startPace } from './pace.ts'
import { quantile } from './summary.ts'
import { formatFlood } from './table.ts'
import { type Flooder, startFlooder } from './threads.ts'

const TRIES_PER_SECOND = 10
const CONNECTIONS = 16
/** A client whose request is refused or lost tries again. */
const AGAIN_MS = 50
/** It gives up in the end, or the drill would not end. */
const GIVE_UP_MS = 20_000
const POLL_MS = 250
const OPEN_MS_MAX = 10_000

const options = readOptions({ wrong: 1_000_000, connections: 64, addresses: 1000, store: STORES, workers: 2 })
const isOver = makeBound(options)
const violations: string[] = []
/** Answered on all stores. */
let wrong = 0

/** Asks with the right secret until there is a token; what the refusals on the way were is counted. */
const getToken = async (connections: Connections, { agent }: Access, right: RightSecrets, due: number) => {
  const request = issueRequest(agent)
  while (performance.now() - due < GIVE_UP_MS) {
    const { answer } = await connections.exchange(request)
    if (answer?.status === 200) return void right.times.push(performance.now() - due)
    const status = answer?.status ?? 0
    right.refusals.set(status, (right.refusals.get(status) ?? 0) + 1)
    await delay(AGAIN_MS)
  }
  right.times.push(Number.POSITIVE_INFINITY)
}

const answersOf = ({ statuses }: FloodCounts): number => [...statuses.values()].reduce((sum, count) => sum + count, 0)

const untilAnswered = async (flooder: Flooder): Promise<void> => {
  while (!isOver() && answersOf(await flooder.count()) < options.wrong) await delay(POLL_MS)
}

const describeRight = (name: string, { times, refusals }: RightSecrets): string => {
  const [p50, p99, max] = [0.5, 0.99, 1].map(share => quantile(times, share).toFixed(0))
  const refused = [...refusals].map(([status, count]) => `${count} × ${status === 0 ? 'lost' : status}`).join(', ')
  return `  ${name}: ${times.length} right secrets, p50 ${p50}, p99 ${p99}, max ${max} ms; refused on the way: ${refused || 'none'}`
}

const attack = async (access: Access, flooder: Flooder, name: string): Promise<void> => {
  const connections = keepConnections(access.port, CONNECTIONS)
  const right: RightSecrets = { times: [], refusals: new Map() }
  const floodName = 'wrong-secrets'
  const requests = prebuild(floodName, { access, token: '' })
  await connections.open()
  const { addresses } = options
  const order = {
    port: access.port,
    manner: mannerOf(floodName),
    requests,
    connections: options.connections,
    addresses,
  }
  const start = performance.now()
  await flooder.start(order, OPEN_MS_MAX)
  const pacing = startPace(TRIES_PER_SECOND, 0, due => getToken(connections, access, right, due))
  await untilAnswered(flooder)
  await pacing.stop()
  const seconds = (performance.now() - start) / 1000
  const counts = await flooder.stop()
  wrong += answersOf(counts)
  print(`  ${name}: ${formatFlood(counts, seconds)}`)
  print(describeRight(name, right))
  violations.push(...judgeLockout(right, counts).map(found => `${name}: ${found}`))
}

await runOnStores({
  name: 'Lockout',
  options,
  violations,
  perform: async (store, started, folder) => {
    const world = await makeWorld(store, { folder, workers: options.workers, print }, started)
    const service = await world.start()
    await attack(world.access, startFlooder(started), store.kind)
    const ended = service.ended()
    if (ended !== null) violations.push(`${store.kind}: the process ended with ${ended}`)
  },
  summary: () => `${formatCount(wrong)} wrong secrets`,
})
