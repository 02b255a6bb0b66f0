// One service under the fuzzer: its seeds, its credentials, and so many requests, some of them at the same time.
import assert from 'node:assert/strict'
import { pathOf } from '../../../api/operation.ts'
import { followFeed } from '../../../api/revocation-feed.ts'
import { admin } from '../../../testkit/callers/administration.ts'
import { OPERATIONS, type OperationRequest, type World } from '../../../testkit/callers/every-operation.ts'
import { basic, introspect, issue } from '../../../testkit/callers/requests.ts'
import { type AgentOfTest, startServer, type TestServer } from '../../../testkit/services/test-server.ts'
import { makeRandom, type Random } from '../random.ts'
import { faultOf, faultsIn } from './judge.ts'
import { type FuzzedRequest, mutate } from './mutate.ts'
import { patiently } from './patiently.ts'
import { bytesOf, type FuzzAnswer, sendOver } from './send.ts'

export type FuzzRound = {
  readonly seed: number
  readonly requests: number
  readonly overSockets: boolean
  readonly atOnce: number
}

export type FuzzResult = { readonly answers: ReadonlyMap<string, number>; readonly wrong: readonly string[] }

type Headers = Readonly<Record<string, string>>

/** Good requests are made again after so many: what they name has been deleted, disabled or revoked by then. */
const SEEDS_EVERY = 1500
const HONEST_EVERY = 250
const HONEST_TRIES = 5
const WRONG_SHOWN_MAX = 20
const ANSWER_MS_MAX = 10_000

const makeSeeds = async (world: World): Promise<readonly OperationRequest[]> => {
  const seeds: OperationRequest[] = []
  for (const make of Object.values(OPERATIONS)) seeds.push(await patiently(() => make(world)))
  return seeds
}

/** Half of them are good. */
const makeCredentials = async (service: TestServer, { client }: World): Promise<readonly Headers[]> => {
  const { key } = await service.createApiKey('tokens:introspect')
  const good = [await admin(service), basic(client.clientId, client.clientSecret), { 'x-api-key': key }]
  return [...good, {}, basic(client.clientId, 'wrong'), { authorization: 'Bearer e30.e30.AA', 'x-api-key': 'mma_x' }]
}

const inject = async (service: TestServer, request: FuzzedRequest): Promise<FuzzAnswer> => {
  const { method, path: url, headers, body } = request
  // The stream of the feed goes on for as long as its caller stays.
  const signal = AbortSignal.timeout(ANSWER_MS_MAX)
  const options = { method, url, headers: Object.fromEntries(headers), ...(body !== null && { payload: body }), signal }
  const answer = await service.inject(options).catch((fault: unknown) => {
    if (signal.aborted && url.startsWith(pathOf(followFeed))) return 'none' as const
    throw fault
  })
  if (answer === 'none') return answer
  const { statusCode: status, headers: answered, body: text } = answer
  const head = Object.entries(answered).map(([name, value]) => `${name}: ${String(value)}`)
  return { status, head: head.join('\n'), text }
}

const describe = ({ method, path, headers, body }: FuzzedRequest): string =>
  JSON.stringify([method, path, headers, body?.toString('latin1').slice(0, 500)])

/** A parameter that no operation knows is passed over, as RFC 3986 leaves it to the service. */
const isProblem = (problem: string): boolean => !/^the parameter .* was taken, and is not documented$/s.test(problem)

type Honest = { readonly key: string; readonly agent: AgentOfTest }

/** What an honest caller hears of a token that it has just got. */
const introspectOwn = async (service: TestServer, { key, agent }: Honest): Promise<string> => {
  const { status, text } = await introspect(service, key, await issue(service, agent))
  assert.equal(status, 200, text)
  return text
}

/** Fuzzes a service of its own, and closes it, which fails where an answer was not as the OpenAPI document says. */
export const fuzzService = async ({ seed, requests, overSockets, atOnce }: FuzzRound): Promise<FuzzResult> => {
  const service = await startServer({ isProblem })
  const port = Number(new URL(service.baseUrl).port)
  const answers = new Map<string, number>()
  const wrong: string[] = []
  const random = makeRandom(seed)
  let world: World = { service, client: await service.createAgent() }
  let credentials = await makeCredentials(service, world)
  let seeds = await makeSeeds(world)
  const honest = { key: (await service.createApiKey('tokens:introspect')).key, agent: await service.createAgent() }

  const send = (own: Random, request: FuzzedRequest): Promise<FuzzAnswer> => {
    if (!overSockets) return inject(service, request)
    const count = own.chance(0.1) ? 1 + own.below(5) : 1
    return sendOver(
      port,
      Array.from({ length: count }, () => bytesOf(request, `127.0.0.1:${port}`, own)),
      own,
    )
  }

  const tryOne = async (): Promise<void> => {
    const own = makeRandom(random.below(0xffff_ffff))
    const request = mutate(own.pick(seeds), own.pick(credentials), own)
    try {
      const answer = await send(own, request)
      const name = answer === 'none' ? 'none' : String(answer.status)
      answers.set(name, (answers.get(name) ?? 0) + 1)
      const fault = faultOf(answer)
      if (fault !== undefined) wrong.push(`${fault} to ${describe(request)}`)
    } catch (thrown) {
      wrong.push(`${String(thrown)} at ${describe(request)}`)
    }
  }

  // An honest caller beside them has its token, whatever was revoked, and hears that it is active.
  const tryHonest = async (): Promise<void> => {
    // An operator among the fuzzed may end all tokens in between, but not each time.
    const heard: string[] = []
    while (heard.length < HONEST_TRIES) {
      const text = await patiently(() => introspectOwn(service, honest))
      if (text.includes('"active":true')) return
      heard.push(text)
    }
    wrong.push(`An honest caller heard ${heard.join(', ')}.`)
  }

  const renew = async (): Promise<void> => {
    world = { service, client: await service.createAgent() }
    credentials = await makeCredentials(service, world)
    seeds = await makeSeeds(world)
  }

  let done = 0
  const work = async (): Promise<void> => {
    while (done < requests) {
      done += 1
      if (done % SEEDS_EVERY === 0) await renew()
      if (done % HONEST_EVERY === 0) await tryHonest()
      await tryOne()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  wrong.push(...faultsIn(service.log()))
  await service.close().catch((fault: unknown) => {
    assert.ok(fault instanceof Error)
    wrong.push(fault.message.slice(0, 2000))
  })
  return { answers, wrong: wrong.slice(0, WRONG_SHOWN_MAX) }
}
