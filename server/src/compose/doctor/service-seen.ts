// The service as a caller sees it at its address: its metadata, its components, and what it makes of forwarded addresses.
import { type ForwardedState, FORWARDED_STATES } from '../../../../api/values/checks.ts'
import { TEST_ADDRESS } from '../../http/wire/source.ts'
import { readBounded } from '../../keys/providers/fetch-json.ts'
import { withoutByteOrderMark } from '../../domain/text/byte-order-mark.ts'
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
  /** What GET /readyz?verbose answers; undefined where it cannot be asked there. */
  readonly plain: Readiness | undefined
  /** The same with a made-up address in X-Forwarded-For, and in Forwarded. */
  readonly forgedFor: Readiness | undefined
  readonly forged: Readiness | undefined
}

export type Readiness = {
  readonly isReady: boolean
  readonly bad: readonly BadComponent[]
  /** Null: the request says nothing of where it was forwarded for. */
  readonly forwarded: ForwardedState | null
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

type Get = (address: string, headers?: Readonly<Record<string, string>>) => Promise<Answer | Unreached>

const getWithin =
  (answerMs: number): Get =>
  async (address, headers = {}) => {
    try {
      const response = await fetch(address, { headers, redirect: 'manual', signal: AbortSignal.timeout(answerMs) })
      return { status: response.status, json: parse(await readBounded(response)) }
    } catch (fault) {
      return unreached(fault)
    }
  }

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const nameOf = (component: Readonly<Record<string, unknown>>): string =>
  [component['name'], component['check'] ?? component['issuer']].map(textOf).join(' ').trim()

const readinessOf = (answer: Answer | Unreached): Readiness | undefined => {
  if ('unreached' in answer || !isRecord(answer.json)) return undefined
  const { status, components } = answer.json
  if (!(answer.status === 200 && status === 'ok') && !(answer.status === 503 && status === 'unavailable'))
    return undefined
  const records = Array.isArray(components) ? components.filter(isRecord) : []
  const others = records.filter(({ name }) => name !== 'forwarded_address')
  const bad = others
    .filter(one => one['status'] !== 'ok')
    .map(one => ({ name: nameOf(one), status: textOf(one['status']), reason: textOf(one['reason']) }))
  const seen = records.find(({ name }) => name === 'forwarded_address')?.['status']
  return { isReady: status === 'ok', bad, forwarded: FORWARDED_STATES.find(state => state === seen) ?? null }
}

/** Asks all at once: of a service that waits for an identity provider each answer takes seconds. `url` has no trailing slash. */
export const probeService = async (
  url: string,
  isNamed: boolean,
  { checkAnswerMs }: Pick<Timing, 'checkAnswerMs'>,
): Promise<ServiceSeen> => {
  const get = getWithin(checkAnswerMs)
  const ask = async (headers: Readonly<Record<string, string>>) =>
    readinessOf(await get(`${url}/readyz?verbose`, headers))
  const [metadata, plain, forgedFor, forged] = await Promise.all([
    get(`${url}/.well-known/oauth-authorization-server`),
    ask({}),
    ask({ 'x-forwarded-for': TEST_ADDRESS }),
    ask({ forwarded: `for=${TEST_ADDRESS}` }),
  ])
  return { url, isNamed, metadata, plain, forgedFor, forged }
}
