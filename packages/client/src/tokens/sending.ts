// A request to a resource server as it is sent, and as a redirect sends it on: what the Fetch standard says of "HTTP-redirect
// fetch", which `fetch` does by itself only with the proof of the first address.
import { discard } from '../../../verify/src/wire/exchange.ts'
import { isSignal } from '../../../verify/src/wire/option-members.ts'

const REDIRECTS_MAX = 5

export type Sending = {
  readonly input: string | URL | Request
  readonly init: RequestInit
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly signal: AbortSignal | undefined
  /** Whether the body can be sent again. */
  readonly isRepeatable: boolean
  /** Whether redirects are followed here, and not by `fetch` as `init` says. */
  readonly isFollowed: boolean
  readonly redirects: number
  /** Whether the token goes with it: no more once a redirect has led to another origin. */
  readonly carriesToken: boolean
}

/** A stream can be read only once. Node's `fetch` takes an async iterable as a stream. */
const isStream = (body: unknown): boolean =>
  body instanceof ReadableStream || (typeof body === 'object' && body !== null && Symbol.asyncIterator in body)

/** The methods that `fetch` writes in capitals; another is sent as it is, and a proof names it so. */
const METHODS_IN_CAPITALS = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'])

const methodAsSent = (method: string): string => {
  const inCapitals = method.toUpperCase()
  return METHODS_IN_CAPITALS.has(inCapitals) ? inCapitals : method
}

/** The members of an init that are texts, with what the Fetch standard has in their place; those of a Request are its own too. */
const TEXTS = {
  cache: 'default',
  credentials: 'same-origin',
  integrity: '',
  mode: 'cors',
  redirect: 'follow',
  referrer: 'about:client',
  referrerPolicy: '',
} as const
/** The rest, and those of Node and of browsers: copied wherever they are, in a class too. */
const MEMBERS = [
  ...Object.keys(TEXTS),
  'body',
  'dispatcher',
  'duplex',
  'headers',
  'keepalive',
  'method',
  'priority',
  'signal',
]

/** As `fetch` reads what should be a text: of a symbol it makes none. */
const textOf = (value: unknown): string => {
  if (typeof value === 'symbol') throw new TypeError('fetch: a symbol is no text.')
  return String(value)
}

/** The bytes of an ArrayBuffer, also of one of another realm. */
const bytesOf = (body: unknown): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return new Uint8Array(ArrayBuffer.prototype.slice.call(body as ArrayBuffer, 0))
  } catch {
    return undefined
  }
}

/** Copies a body that its caller may change. Texts and blobs never change, and a stream can be read only once: they stay. */
const copyBody = (body: unknown): NonNullable<RequestInit['body']> => {
  if (body instanceof URLSearchParams) return new URLSearchParams(body.toString())
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice()
  if (body instanceof Blob || isStream(body)) return body as Blob | ReadableStream
  // As fetch does with everything else.
  if (!(body instanceof FormData)) return bytesOf(body) ?? textOf(body)
  const copy = new FormData()
  for (const [name, value] of body) copy.append(name, value)
  return copy
}

/** Copies an init, each member read once: the request is sent turns later, and the caller may change its object until then. */
const copyInit = (given: RequestInit): RequestInit => {
  if (typeof given !== 'object') throw new TypeError("fetch: init is not an object, such as { method: 'POST' }.")
  const init: Record<string, unknown> = { ...given }
  for (const name of MEMBERS) {
    const value: unknown = Object.hasOwn(init, name) ? init[name] : Reflect.get(given, name)
    // Converted now, because the caller's object may convert to another text later.
    if (value !== undefined) init[name] = name in TEXTS || name === 'method' ? textOf(value) : value
  }
  const { signal = null, body = null } = init
  if (signal !== null && isSignal(signal) !== true) throw new TypeError('fetch: signal is not an AbortSignal.')
  return { ...init, ...(body !== null && { body: copyBody(body) }) }
}

/** What of a Request a `fetch` with an init would leave out. */
const initOf = (request: Request): RequestInit => {
  const members = Object.entries(TEXTS).flatMap(([name, usual]) => {
    const value: unknown = Reflect.get(request, name)
    // A page that is navigated to cannot be asked for (Fetch standard, the constructor of Request).
    return value === undefined || value === usual || value === 'navigate' ? [] : [[name, value] as const]
  })
  return Object.fromEntries(members)
}

/** `isBound`: each address needs a proof of its own. */
export const describe = (input: string | URL | Request, given: RequestInit, isBound: boolean): Sending => {
  const copy = copyInit(given)
  const request = input instanceof Request ? new Request(input, copy) : undefined
  const init = request === undefined ? copy : { ...initOf(request), ...copy }
  const isFollowed = isBound && (init.redirect ?? 'follow') === 'follow'
  // Anything else is a text for fetch: the one that is checked is what is sent.
  const url = request?.url ?? textOf(input)
  const { body = null } = init
  return {
    input: request ?? url,
    init: isFollowed ? { ...init, redirect: 'manual' } : init,
    url,
    method: methodAsSent(init.method ?? request?.method ?? 'GET'),
    headers: new Headers(request?.headers ?? init.headers),
    signal: request?.signal ?? init.signal ?? undefined,
    // The body of a Request is there once. For fetch a body of null is none that was given.
    isRepeatable: !isStream(body) && (body !== null || (request?.body ?? null) === null),
    isFollowed,
    redirects: 0,
    carriesToken: true,
  }
}

export const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined)

const REDIRECTS = new Set([301, 302, 303, 307, 308])
const OF_A_BODY = ['content-encoding', 'content-language', 'content-length', 'content-location', 'content-type']
const OF_AN_ORIGIN = ['authorization', 'cookie', 'dpop', 'host', 'proxy-authorization']

const refuse = (why: string, to = ''): TypeError => new TypeError(`A redirect${to} is not followed: ${why}`)

const targetOf = (location: string, base: string): URL => {
  const url = URL.canParse(location, base) ? new URL(location, base) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw refuse('it leads to no address of https.')
  if (new URL(base).protocol === 'https:' && url.protocol === 'http:') {
    throw refuse('it leaves https.', ` to ${url.origin}`)
  }
  // The runtime would refuse it with the whole address in its message.
  if (url.username !== '' || url.password !== '') {
    throw refuse('its address holds a user name or a password.', ` to ${url.origin}`)
  }
  return url
}

const isGetAfter = (status: number, method: string): boolean =>
  status === 303 ? method !== 'GET' && method !== 'HEAD' : status < 303 && method === 'POST'

/** What a redirect sends, or undefined where the response is none that is followed. Throws a TypeError where it must not be. */
export const redirectedBy = (response: Response, sending: Sending): Sending | undefined => {
  if (!sending.isFollowed) return undefined
  if (response.type === 'opaqueredirect') {
    const why = "this runtime does not show where it leads. Request that address itself, or set redirect: 'manual'."
    throw refuse(why)
  }
  const location = response.headers.get('location')
  if (!REDIRECTS.has(response.status) || location === null) return undefined
  discard(response)
  if (sending.redirects === REDIRECTS_MAX) throw refuse(`there were ${REDIRECTS_MAX} before it.`)
  const target = targetOf(location, sending.url)
  const becomesGet = isGetAfter(response.status, sending.method)
  // Of a stream only a 303 leads on (Fetch standard, HTTP-redirect fetch).
  if (response.status !== 303 && !sending.isRepeatable)
    throw refuse('its body cannot be sent again.', ` to ${target.origin}`)
  const isWithin = target.origin === originOf(sending.url)
  const method = becomesGet ? 'GET' : sending.method
  const headers = new Headers(sending.headers)
  for (const name of [...(becomesGet ? OF_A_BODY : []), ...(isWithin ? [] : OF_AN_ORIGIN)]) headers.delete(name)
  return {
    ...sending,
    input: target.href,
    init: {
      ...sending.init,
      method,
      body: becomesGet ? null : (sending.init.body ?? null),
      signal: sending.signal ?? null,
    },
    url: target.href,
    method,
    headers,
    isRepeatable: true,
    redirects: sending.redirects + 1,
    carriesToken: sending.carriesToken && isWithin,
  }
}
