// The service as a caller sees it at its address: its metadata and its components.
import { readBounded } from '../../keys/providers/fetch-json.ts'
import { withoutByteOrderMark } from '../../domain/text/text.ts'
import type { Timing } from '../../ports/timing.ts'

export type Answer = { readonly status: number; readonly json: unknown }
export type Unreached = { readonly unreached: string; readonly isTls: boolean }

/** A component that is not ok, as /readyz?verbose reports it. */
export type BadComponent = { readonly name: string; readonly status: string; readonly reason: string }

export type ServiceSeen = {
  readonly url: string
  /** Whether the address was named on the command line, and not by the configuration. */
  readonly isNamed: boolean
  readonly metadata: Answer | Unreached
  /** The components of GET /readyz?verbose that are not ok; undefined where it does not answer. */
  readonly components: readonly BadComponent[] | undefined
}

const TLS_FAULT = /CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^EPROTO$|^ERR_SSL_/

const unreached = (fault: unknown): Unreached => {
  const cause = fault instanceof Error && fault.cause instanceof Error ? fault.cause : fault
  if (!(cause instanceof Error)) return { unreached: String(cause), isTls: false }
  if (cause.name === 'TimeoutError') return { unreached: 'it did not answer in time', isTls: false }
  const code = 'code' in cause ? String(cause.code) : ''
  return { unreached: `${code} ${cause.message}`.trim(), isTls: TLS_FAULT.test(code) }
}

const parse = (body: Buffer | undefined): unknown => {
  try {
    return body === undefined ? undefined : JSON.parse(withoutByteOrderMark(body.toString('utf8')))
  } catch {
    return undefined
  }
}

const getWithin =
  (answerMs: number) =>
  async (address: string): Promise<Answer | Unreached> => {
    try {
      const response = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(answerMs) })
      return { status: response.status, json: parse(await readBounded(response)) }
    } catch (fault) {
      return unreached(fault)
    }
  }

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const nameOf = (component: Readonly<Record<string, unknown>>): string =>
  [component['name'], component['check'] ?? component['alias'] ?? component['issuer']].map(textOf).join(' ').trim()

const badComponentsOf = (answer: Answer | Unreached): readonly BadComponent[] | undefined => {
  if ('unreached' in answer || !isRecord(answer.json)) return undefined
  const { status, components } = answer.json
  if (!(answer.status === 200 && status === 'ok') && !(answer.status === 503 && status === 'unavailable'))
    return undefined
  const records = Array.isArray(components) ? components.filter(isRecord) : []
  return records
    .filter(one => one['name'] !== 'forwarded_address' && one['status'] !== 'ok')
    .map(one => ({ name: nameOf(one), status: textOf(one['status']), reason: textOf(one['reason']) }))
}

/** Asks both at once: of a service that waits for an identity provider each answer takes seconds. `url` has no trailing slash. */
export const probeService = async (
  url: string,
  isNamed: boolean,
  { checkAnswerMs }: Pick<Timing, 'checkAnswerMs'>,
): Promise<ServiceSeen> => {
  const get = getWithin(checkAnswerMs)
  const [metadata, readiness] = await Promise.all([
    get(`${url}/.well-known/oauth-authorization-server`),
    get(`${url}/readyz?verbose`),
  ])
  return { url, isNamed, metadata, components: badComponentsOf(readiness) }
}
