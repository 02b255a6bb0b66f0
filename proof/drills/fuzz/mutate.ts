// Makes another request out of a good one: values, members, fields, headers, and in the end bytes.
import type { OperationRequest } from '../../../testkit/callers/every-operation.ts'
import type { Random } from '../random.ts'
import { hostileText, hostileValue } from './hostile-values.ts'

/** A request as it is sent. Each character of the head is a byte. */
export type FuzzedRequest = {
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer | null
}

type Json = Readonly<Record<string, unknown>>

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** One value anywhere in it is another, is missing, or has company. */
const mutateValue = (value: unknown, random: Random): unknown => {
  if (random.chance(0.3)) return hostileValue(random)
  if (isList(value) && value.length > 0) {
    const n = random.below(value.length)
    return random.chance(0.3) ? [...value, ...value] : value.with(n, mutateValue(value[n], random))
  }
  if (!isObject(value)) return hostileValue(random)
  const names = Object.keys(value)
  if (names.length === 0 || random.chance(0.2)) return { ...value, [hostileText(random)]: hostileValue(random) }
  const name = random.pick(names)
  if (random.chance(0.2)) return Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))
  return { ...value, [name]: mutateValue(value[name], random) }
}

/** Text that says one member twice, which no object can. */
const withTwin = (json: string, random: Random): string =>
  json.startsWith('{"') && random.chance(0.1) ? `{${json.slice(1, json.indexOf(':') + 1)}null,${json.slice(1)}` : json

const mutateFields = (form: Readonly<Record<string, string>>, random: Random): string => {
  const fields = Object.entries(form)
  const changed =
    random.chance(0.7) && fields.length > 0
      ? fields.with(random.below(fields.length), [random.pick(fields)[0], hostileText(random)])
      : fields
  const more = random.chance(0.3)
    ? [
        random.chance(0.5) && fields.length > 0
          ? random.pick(fields)
          : ([hostileText(random), hostileText(random)] as const),
      ]
    : []
  const text = new URLSearchParams([...changed, ...more].map(([name, value]) => [name, value])).toString()
  return random.chance(0.1) ? text.replaceAll('%', random.pick(['%%', '', '%u', '%C0%AF'])) : text
}

const EDITS = ['flip', 'cut', 'insert', 'repeat'] as const

/** A few bytes are others, are missing, or are there again. */
export const mutateBytes = (bytes: Buffer, random: Random): Buffer => {
  if (bytes.length === 0) return bytes
  const [at, length] = [random.below(bytes.length), 1 + random.below(8)]
  switch (random.pick(EDITS)) {
    case 'flip': {
      const copy = Buffer.from(bytes)
      copy[at] = random.below(256)
      return copy
    }
    case 'cut':
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
    case 'insert':
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from([random.below(256), random.below(256)]),
        bytes.subarray(at),
      ])
    case 'repeat':
      return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)])
  }
}

const HEADER_NAMES = [
  'authorization',
  'x-api-key',
  'content-type',
  'accept',
  'dpop',
  'idempotency-key',
  'x-request-id',
  'if-none-match',
  'origin',
  'forwarded',
  'x-forwarded-for',
  'accept-encoding',
  'range',
  'expect',
  'x-http-method-override',
]

/** A header may hold any byte but those that end it. */
const headerText = (text: string): string =>
  Buffer.from(text.replaceAll(/[\r\n\0]/g, ' ').slice(0, 2000)).toString('latin1')

const mutateHeaders = (headers: FuzzedRequest['headers'], random: Random): FuzzedRequest['headers'] => {
  if (random.chance(0.7)) return headers
  const extra = [random.pick(HEADER_NAMES), headerText(hostileText(random))] as const
  if (headers.length > 0 && random.chance(0.3)) return headers.with(random.below(headers.length), extra)
  return [...headers, extra]
}

const percent = (text: string): string => {
  try {
    return encodeURIComponent(text)
  } catch {
    return '%ED%A0%80'
  }
}

const mutatePath = (path: string, random: Random): string => {
  if (random.chance(0.75)) return path
  const segments = path.split('/')
  const text = percent(hostileText(random)).slice(0, 2000)
  if (random.chance(0.5)) return segments.with(random.below(segments.length), text).join('/') || '/'
  return `${path}${path.includes('?') ? '&' : '?'}${random.pick(['limit', 'cursor', 'agent_id', 'scope', 'reason', 'format', 'since', text])}=${text}`
}

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS']

const bodyOf = (
  { form, body }: OperationRequest,
  random: Random,
): readonly [type: string, text: string] | undefined => {
  if (form !== undefined) return ['application/x-www-form-urlencoded', mutateFields(form, random)]
  if (body === undefined) return undefined
  const value = random.chance(0.8) ? mutateValue(body, random) : body
  return ['application/json', withTwin(JSON.stringify(value) ?? '', random)]
}

/** The request with a few things wrong, or none. */
export const mutate = (
  request: OperationRequest,
  credential: Readonly<Record<string, string>>,
  random: Random,
): FuzzedRequest => {
  const made = bodyOf(request, random)
  const bytes = made === undefined ? null : Buffer.from(made[1])
  const body = bytes !== null && random.chance(0.3) ? mutateBytes(bytes, random) : bytes
  const headers = [...Object.entries(credential), ...(made === undefined ? [] : [['content-type', made[0]] as const])]
  const method = random.chance(0.95) ? request.method : random.pick(METHODS)
  const path = mutatePath(request.path, random).replaceAll(/[^\x21-\x7e]/g, '')
  return { method, path: path.startsWith('/') ? path : `/${path}`, headers: mutateHeaders(headers, random), body }
}
