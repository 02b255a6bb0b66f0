// Text that no honest caller sends, in every place of a request: what a database cannot hold, and what is merely odd.
import type { Document, Operation } from '../services/described.ts'
import type { OperationRequest } from './every-operation.ts'
import { FORM } from './requests.ts'

/** A text as it stands in a URL or a form, and inside a string of JSON, where it can; there `latin1` characters are bytes. */
export type HostileText = { readonly name: string; readonly percent: string; readonly json: string }

const LONG = 'x'.repeat(4000)

export const HOSTILE_TEXTS: readonly HostileText[] = [
  { name: 'a NUL', percent: '%00', json: '\\u0000' },
  { name: 'a NUL that is encoded twice', percent: '%2500', json: '\\\\u0000' },
  { name: 'half of a surrogate pair', percent: '%ED%A0%80', json: '\\ud800' },
  { name: 'the other half', percent: '%ED%B0%80', json: '\\udc00' },
  { name: 'bytes that are not UTF-8', percent: '%FF%C0%80', json: '\xff\xc0\x80' },
  { name: 'U+FFFF', percent: '%EF%BF%BF', json: '\\uffff' },
  { name: 'a character of four bytes', percent: '%F0%9F%98%80', json: '\xf0\x9f\x98\x80' },
  {
    name: 'what turns the direction of writing, has no width or is a byte order mark',
    percent: '%E2%80%AE%E2%80%8B%EF%BB%BF',
    json: '\\u202e\\u200b\\ufeff',
  },
  {
    name: 'control characters of seven and eight bits, and line breaks',
    percent: '%1B%5B2J%C2%9B31m%0D%0Ax%3A%20y',
    json: '\\u001b[2J\\u009b31m\\r\\nx: y',
  },
  { name: 'a long text', percent: LONG, json: LONG },
]

/** A request as it is sent; of `body` each character is a byte. */
export type RawRequest = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** One place of a request: the request with a text there, alone or behind what belongs there. */
export type Place = { readonly where: string; readonly with: (text: HostileText) => readonly RawRequest[] }

const JSON_TYPE = { 'content-type': 'application/json' }

const partsOf = (path: string): readonly [path: string, query: string] => {
  const [before = '', query = ''] = path.split('?', 2)
  return [before, query]
}

/** The request as it would succeed. */
const plain = ({ method, path, form, body }: OperationRequest): RawRequest => {
  if (form !== undefined) return { method, path, headers: FORM, body: new URLSearchParams(form).toString() }
  return body === undefined
    ? { method, path, headers: {} }
    : { method, path, headers: JSON_TYPE, body: Buffer.from(JSON.stringify(body)).toString('latin1') }
}

const inPath = (request: OperationRequest, template: string): readonly Place[] => {
  const [path, query] = partsOf(request.path)
  const segments = path.split('/')
  return template.split('/').flatMap((name, n) => {
    if (!name.startsWith('{')) return []
    const put = (segment: string): RawRequest => {
      const changed = segments.with(n, segment).join('/')
      return { ...plain(request), path: query === '' ? changed : `${changed}?${query}` }
    }
    return [{ where: `path ${name}`, with: ({ percent }) => [put(percent), put((segments[n] ?? '') + percent)] }]
  })
}

const inQuery = (request: OperationRequest, name: string, good: string): Place => {
  const [path, query] = partsOf(request.path)
  const rest = new URLSearchParams(query)
  rest.delete(name)
  const put = (value: string): RawRequest => {
    const pairs = [rest.toString(), `${name}=${value}`].filter(Boolean)
    return { ...plain(request), path: `${path}?${pairs.join('&')}` }
  }
  return { where: `query ${name}`, with: ({ percent }) => [put(percent), put(encodeURIComponent(good) + percent)] }
}

const inForm = (request: OperationRequest, name: string): Place => {
  const { [name]: good = '', ...others } = request.form ?? {}
  const put = (value: string): RawRequest => {
    const pairs = [new URLSearchParams(others).toString(), `${name}=${value}`].filter(Boolean)
    return { ...plain(request), body: pairs.join('&') }
  }
  return { where: `form ${name}`, with: ({ percent }) => [put(percent), put(encodeURIComponent(good) + percent)] }
}

/** Stands for the hostile text while a body is written; no body holds it. */
const MARK = '<<<hostile>>>'

/** Each string of a JSON value, and each name of a member, in turn with the mark in its place or behind it. */
const marked = (value: unknown, where = ''): readonly (readonly [where: string, value: unknown])[] => {
  if (typeof value === 'string') return [MARK, value + MARK].map(text => [where, text])
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value
    return items.flatMap((item, n) => marked(item, `${where}[]`).map(([at, one]) => [at, items.with(n, one)] as const))
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [
    ...marked(member, `${where}.${name}`).map(([at, one]) => [at, { ...value, [name]: one }] as const),
    [`${where}.${name} as a name`, { ...value, [name + MARK]: member }] as const,
  ])
}

const inJson = (request: OperationRequest, body: unknown): readonly Place[] =>
  marked(body).map(([where, value]) => {
    const text = Buffer.from(JSON.stringify(value)).toString('latin1')
    const headers = JSON_TYPE
    return {
      where: `body ${where}`,
      with: ({ json }) => [{ ...plain(request), headers, body: text.replaceAll(MARK, () => json) }],
    }
  })

/** What a header can hold: Node's client sends each character as a byte, and refuses controls. */
const inHeader = (request: OperationRequest, name: string): Place => ({
  where: `header ${name}`,
  with: ({ percent }) => {
    const { headers, ...rest } = plain(request)
    const bytes = Buffer.from(
      decodeURIComponent(percent.replaceAll(/%(?:00|0A|0D|1B|ED%..%80|FF%C0%80)/g, '%EF%BF%BD')),
    )
    return [percent, bytes.toString('latin1')].map(value => ({ ...rest, headers: { ...headers, [name]: value } }))
  },
})

const bytesOf = (percent: string): Buffer =>
  Buffer.from(
    percent.replaceAll(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )

/** HTTP Basic, whose parts are percent-encoded inside base64 (RFC 6749 §2.3.1), or not. */
const inBasic = (request: OperationRequest): Place => ({
  where: 'HTTP Basic',
  with: ({ percent }) => {
    const { headers, ...rest } = plain(request)
    const pairs = [`${percent}:x`, `x:${percent}`].flatMap(pair => [Buffer.from(pair), bytesOf(pair)])
    return pairs.map(pair => ({ ...rest, headers: { ...headers, authorization: `Basic ${pair.toString('base64')}` } }))
  },
})

/** The headers that get hostile text in every operation, besides those that it declares. */
const HEADERS = ['x-request-id', 'idempotency-key', 'x-api-key', 'authorization']

const operationIn = (document: Document, operation: string): Operation | undefined => {
  const [method = '', path = ''] = operation.split(' ')
  return document.paths[path]?.[method.toLowerCase()]
}

const named = (document: Document, operation: string, kind: 'query' | 'header'): readonly string[] =>
  (operationIn(document, operation)?.parameters ?? [])
    .map(one => ('$ref' in one ? document.components['parameters']?.[one.$ref?.split('/').at(-1) ?? ''] : one))
    .map(one => one as { readonly name: string; readonly in: string })
    .filter(one => one.in === kind)
    .map(({ name }) => name)

/** Whether it is a list, whose pages a cursor joins. */
export const takesCursor = (document: Document, operation: string): boolean =>
  named(document, operation, 'query').includes('cursor')

type FormSchema = { readonly properties?: object }

/** Every place of the operation's request, by what the document says that it takes. `cursor` is one of its list. */
export const placesOf = (
  document: Document,
  operation: string,
  { request, cursor }: { readonly request: OperationRequest; readonly cursor: string },
): readonly Place[] => {
  const [, template = ''] = operation.split(' ')
  const content = operationIn(document, operation)?.requestBody?.content ?? {}
  const form = content['application/x-www-form-urlencoded']?.schema as FormSchema | undefined
  const queries = named(document, operation, 'query')
  const headers = named(document, operation, 'header')
  const bodies = [request.body, content['application/json']?.example].filter(body => body !== undefined)
  return [
    ...inPath(request, template),
    ...queries.map(name => inQuery(request, name, name === 'cursor' ? cursor : 'x')),
    ...Object.keys(form?.properties ?? {}).map(name => inForm(request, name)),
    ...bodies.flatMap(body => inJson(request, body)),
    ...[...new Set([...HEADERS, ...headers.map(name => name.toLowerCase())])].map(name => inHeader(request, name)),
    inBasic(request),
  ]
}
