// A small service that publishes a revocation feed as docs/apis/feed-protocol.md describes it, for tests of followers. A test makes it issue
// tokens, end them, and fail, by `POST /control`; run as a program it listens on the port of its first argument.
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readBody } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { type Members, makeId } from './case.ts'

/** What the publisher does wrong. */
export type Fault =
  | 'none'
  | 'hang'
  | 'unavailable'
  | 'cut'
  | 'garbage'
  | 'wrong_type'
  | 'wrong_issuer'
  | 'wrong_key'
  | 'gap'
  | 'no_wait'
  | 'head_behind'
  | 'head_ahead'

type Facts = { readonly ended: Readonly<Record<string, string>>; readonly cut_offs: readonly Members[] }

const WAIT_MAX_SECONDS = 25
const LIFETIME_SECONDS = 300
/** A segment of a snapshot has so many positions; the last ones are for `changes`. */
const SEGMENT_POSITIONS = 2
const ALG = 'ES256'
const AUDIENCE = 'https://orders.example/v1'
/** The only API key. */
const API_KEY = 'key'

const join = (facts: readonly Facts[]): Facts => {
  const ended: Record<string, Buffer[]> = {}
  for (const one of facts) {
    for (const [exp, tails] of Object.entries(one.ended))
      ended[exp] = [...(ended[exp] ?? []), Buffer.from(tails, 'base64url')]
  }
  return {
    ended: Object.fromEntries(
      Object.entries(ended).map(([exp, tails]) => [exp, Buffer.concat(tails).toString('base64url')]),
    ),
    cut_offs: facts.flatMap(({ cut_offs: cutOffs }) => cutOffs),
  }
}

const makeKey = async () => {
  const { privateKey, publicKey } = await generateKeyPair(ALG)
  const kid = randomUUID()
  return { privateKey, kid, jwk: { ...(await exportJWK(publicKey)), kid, alg: ALG, use: 'sig' } }
}

type Key = Awaited<ReturnType<typeof makeKey>>

const sign = (payload: Members, typ: string, { privateKey, kid }: Key): Promise<string> =>
  new SignJWT(payload).setProtectedHeader({ alg: ALG, kid, typ }).sign(privateKey)

const tailOf = (jti: string): string => Buffer.from(jti.replaceAll('-', ''), 'hex').subarray(8).toString('base64url')

const respond = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void => {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

const startOver = (response: ServerResponse): void => respond(response, 409, { error: 'epoch_changed' })

type World = {
  readonly issuer: string
  readonly key: Key
  readonly otherKey: Key
  published: readonly Key[]
  /** The facts of position n + 1 are the n-th. */
  feed: { readonly epoch: string; readonly facts: readonly Facts[] }
  fault: Fault
  /** What a document of changes holds at most. */
  positionsMax: number
  aheadMs: number
  /** Whether introspection calls a token active. */
  readonly tokens: Map<string, boolean>
  readonly requests: string[]
  readonly waiting: Set<() => void>
}

const now = ({ aheadMs }: World): number => Date.now() + aheadMs

const change = (world: World, changed: Partial<World>): void => {
  Object.assign(world, changed)
  for (const go of world.waiting) go()
}

const publish = (world: World, facts: Facts): void =>
  change(world, { feed: { ...world.feed, facts: [...world.feed.facts, facts] } })

const sendDocument = async (world: World, response: ServerResponse, members: Members): Promise<void> => {
  const { fault, feed, key, otherKey } = world
  const iss = fault === 'wrong_issuer' ? 'https://elsewhere.example' : world.issuer
  const payload = { iss, epoch: feed.epoch, now: now(world), ...members }
  const typ = fault === 'wrong_type' ? 'at+jwt' : 'revocations+jwt'
  const text = await sign(payload, typ, fault === 'wrong_key' ? { ...otherKey, kid: key.kid } : key)
  respond(response, 200, fault === 'garbage' ? randomBytes(200).toString('latin1') : text, {
    'content-type': 'application/revocations+jwt',
  })
}

const sendFacts = (world: World, response: ServerResponse, from: number, to: number): Promise<void> =>
  sendDocument(world, response, {
    from: world.fault === 'gap' ? from + 1 : from,
    to: world.fault === 'gap' ? to + 1 : to,
    ...join(world.feed.facts.slice(from, to)),
  })

const sendSnapshot = (world: World, response: ServerResponse): Promise<void> => {
  const count = Math.floor(world.feed.facts.length / SEGMENT_POSITIONS)
  const segments = Array.from({ length: count }, (_, n) => [n * SEGMENT_POSITIONS, (n + 1) * SEGMENT_POSITIONS])
  return sendDocument(world, response, { position: count * SEGMENT_POSITIONS, segments })
}

/** Waits until the world changes, for at most so many seconds. */
const waitForChange = async ({ waiting }: World, seconds: number): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, seconds * 1000)
  waiting.add(resolve)
  await promise
  clearTimeout(timer)
  waiting.delete(resolve)
}

const sendChanges = async (world: World, response: ServerResponse, query: URLSearchParams): Promise<void> => {
  const from = Number(query.get('position'))
  const seconds = Number(query.get('wait') ?? '0')
  const isAtHead = () => query.get('epoch') === world.feed.epoch && from === world.feed.facts.length
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > WAIT_MAX_SECONDS) {
    return respond(response, 400, { error: 'invalid_request' })
  }
  if (isAtHead() && world.fault !== 'no_wait') await waitForChange(world, seconds)
  if (world.fault === 'hang') return
  const { epoch, facts } = world.feed
  if (query.get('epoch') !== epoch || from > facts.length) return startOver(response)
  return sendFacts(world, response, from, Math.min(facts.length, from + world.positionsMax))
}

const HEAD_ERRORS: Partial<Readonly<Record<Fault, number>>> = { head_behind: -1, head_ahead: 1 }

const headOf = (world: World): Members => {
  const { epoch, facts } = world.feed
  return { epoch, position: facts.length + (HEAD_ERRORS[world.fault] ?? 0), now: now(world) }
}

const sendFeed = async (world: World, { pathname, searchParams }: URL, response: ServerResponse): Promise<void> => {
  const [what = '', epoch, range = ''] = pathname.split('/').slice(2)
  const [from = 0, to = 0] = range.split('-').map(Number)
  const { feed } = world
  if (what === '') return respond(response, 200, headOf(world))
  if (what === 'snapshot') return sendSnapshot(world, response)
  if (what === 'changes') return sendChanges(world, response, searchParams)
  if (what !== 'segments') return respond(response, 404, { error: 'not_found' })
  return epoch === feed.epoch ? sendFacts(world, response, from, to) : startOver(response)
}

/** A signed token; `claims` replace those of a live one. */
const issue = async (world: World, { claims, typ }: Members): Promise<Members> => {
  const seconds = Math.floor(now(world) / 1000)
  const payload = {
    iss: world.issuer,
    aud: AUDIENCE,
    sub: 'agent-1',
    client_id: 'client-1',
    credential_id: 'credential-1',
    scope: 'db:read',
    seq: 10,
    iat: seconds,
    exp: seconds + LIFETIME_SECONDS,
    jti: makeId(now(world), randomBytes(8).toString('hex')),
    ...(claims as object),
  }
  const token = await sign(payload, typeof typ === 'string' ? typ : 'at+jwt', world.key)
  world.tokens.set(token, true)
  return { token, claims: payload, kid: world.key.kid }
}

/** What a test may order by `POST /control {"do": …}`. */
const ORDERS: Readonly<Record<string, (world: World, order: Members) => unknown>> = {
  issue,
  /** Ends one token, in the feed and for introspection. */
  end: (world, { token, jti, exp }) => {
    world.tokens.set(String(token), false)
    publish(world, { ended: { [String(exp)]: tailOf(String(jti)) }, cut_offs: [] })
  },
  /** Ends a token for introspection alone. */
  forget: (world, { token }) => world.tokens.set(String(token), false),
  cut_off: (world, { cut_off: cutOff }) => publish(world, { ended: {}, cut_offs: [cutOff as Members] }),
  epoch_changed: world => change(world, { feed: { epoch: randomUUID(), facts: [] } }),
  fault: (world, { kind }) => change(world, { fault: kind as Fault }),
  limit: (world, { positions }) => change(world, { positionsMax: Number(positions) }),
  pass: (world, { ms }) => change(world, { aheadMs: world.aheadMs + Number(ms) }),
  drop_key: world => change(world, { published: [world.otherKey] }),
  /** The requests since this was asked for, as their targets. */
  requests: world => world.requests.splice(0),
  /** Starts another publisher, which ends with this process. */
  spawn: async () => ({ issuer: (await startPublisher()).issuer }),
}

const introspect = async (world: World, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const token = new URLSearchParams(await readBody(request)).get('token') ?? ''
  if (world.tokens.get(token) !== true) return respond(response, 200, { active: false })
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Members
  respond(response, 200, { active: true, ...claims })
}

const metadataOf = ({ issuer }: World): Members => ({
  issuer,
  jwks_uri: `${issuer}/jwks`,
  token_endpoint: `${issuer}/oauth/token`,
  introspection_endpoint: `${issuer}/oauth/introspect/v2`,
  revocation_feed_endpoint: `${issuer}/feed`,
})

/** Fails in the way that a test ordered. */
const fail = ({ fault }: World, request: IncomingMessage, response: ServerResponse): boolean => {
  if (fault === 'unavailable') respond(response, 503, {}, { 'retry-after': '0' })
  if (fault === 'cut') {
    response.writeHead(200, { 'content-length': '1000' }).write('eyJ')
    request.socket.destroySoon()
  }
  return fault === 'unavailable' || fault === 'cut' || fault === 'hang'
}

const take = async (world: World, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? '/', world.issuer)
  if (url.pathname === '/control') {
    const order = JSON.parse(await readBody(request)) as Members
    return respond(response, 200, (await ORDERS[String(order['do'])]?.(world, order)) ?? {})
  }
  world.requests.push(request.url ?? '')
  if (url.pathname.startsWith('/.well-known/')) return respond(response, 200, metadataOf(world))
  if (fail(world, request, response)) return
  if (url.pathname === '/jwks') return respond(response, 200, { keys: world.published.map(({ jwk }) => jwk) })
  if (request.headers['x-api-key'] !== API_KEY) return respond(response, 401, { error: 'invalid_client' })
  if (url.pathname === '/oauth/introspect/v2') return introspect(world, request, response)
  return sendFeed(world, url, response)
}

/** Listens on loopback; `port` 0 is a free one. */
export const startPublisher = async (
  port = 0,
): Promise<{ readonly issuer: string; readonly stop: () => Promise<void> }> => {
  const [key, otherKey] = [await makeKey(), await makeKey()]
  // From here to the listener of requests nothing else is awaited: a request without a listener is never answered.
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  const world: World = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    otherKey,
    published: [key],
    feed: { epoch: randomUUID(), facts: [] },
    fault: 'none',
    positionsMax: Number.POSITIVE_INFINITY,
    aheadMs: 0,
    tokens: new Map(),
    requests: [],
    waiting: new Set(),
  }
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    take(world, request, response).catch((error: unknown) => respond(response, 500, { error: String(error) }))
  })
  const stop = async (): Promise<void> => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  }
  return { issuer: world.issuer, stop }
}

if (import.meta.main) await startPublisher(Number(process.argv[2] ?? 0))
