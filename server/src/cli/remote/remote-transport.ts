// Requests to a service elsewhere: over TLS unless it is on this machine, without following redirects.
import type { RemoteConfig } from '../../config/remote.ts'
import { CommandFailed, EXIT } from '../terminal/exit.ts'

export type Message = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path, and what follows a question mark. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Whether the operation takes the JWT of an operator. */
  readonly takesJwt: boolean
}

/** `type` is the media type; empty where there is none. */
export type Reply = { readonly status: number; readonly type: string; readonly body: AsyncIterable<Uint8Array> }

export type Transport = {
  /** The name of the service in messages to people. */
  readonly name: string
  readonly send: (message: Message, signal: AbortSignal) => Promise<Reply>
  readonly close: () => Promise<void>
}

const UNKNOWN_AUTHORITY: readonly string[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]

/** The codes of a TLS handshake that this side ended. */
const HANDSHAKE = /^(?:CERT_|ERR_TLS_CERT_|ERR_SSL_WRONG_VERSION_NUMBER$|EPROTO$)/

type Cause = { readonly code: string; readonly text: string; readonly wasSent: boolean }

const isOfConnecting = (cause: Error): boolean =>
  cause instanceof AggregateError || ('syscall' in cause && ['connect', 'getaddrinfo'].includes(String(cause.syscall)))

/** `fetch` gives no reason for an answer that it hides. */
const NO_REASON = 'fetch failed without a reason, as where a proxy between asks for a credential (407)'

const causeOf = (fault: unknown): Cause => {
  const cause = fault instanceof Error && fault.cause instanceof Error ? fault.cause : fault
  if (!(cause instanceof Error)) return { code: '', text: String(cause), wasSent: true }
  if (cause.name === 'TimeoutError') return { code: '', text: 'no whole answer in time', wasSent: true }
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  const isBefore = code === 'UND_ERR_CONNECT_TIMEOUT' || UNKNOWN_AUTHORITY.includes(code) || HANDSHAKE.test(code)
  return { code, text: `${code} ${cause.message}`.trim() || NO_REASON, wasSent: !isBefore && !isOfConnecting(cause) }
}

const reasonOf = ({ code, text }: Cause): string =>
  UNKNOWN_AUTHORITY.includes(code)
    ? `its certificate is of an authority that is not known here (${code}). Where it is one of your own, name a PEM file ` +
      'with its certificate in NODE_EXTRA_CA_CERTS'
    : text

const unreachable = (url: string, fault: unknown): CommandFailed => {
  const cause = causeOf(fault)
  const outcome = cause.wasSent
    ? 'Whether a change was made is unknown where one was asked for.'
    : 'Nothing was sent, and nothing changed.'
  return new CommandFailed(`${url} cannot be reached: ${reasonOf(cause)}. ${outcome}`, EXIT.unreachable)
}

/** What comes of the body, or why no more does. */
async function* readBody(url: string, body: AsyncIterable<Uint8Array> | readonly Uint8Array[]) {
  try {
    yield* body
  } catch (fault) {
    throw unreachable(url, fault)
  }
}

/** One credential alone: two are refused. */
const headersOf = ({ apiKey, operatorJwt }: RemoteConfig, takesJwt: boolean): Readonly<Record<string, string>> => {
  if (operatorJwt !== null && (takesJwt || apiKey === null)) return { authorization: `Bearer ${operatorJwt}` }
  return apiKey === null ? {} : { 'x-api-key': apiKey }
}

export const connectRemote = (config: RemoteConfig): Transport => {
  const { url } = config
  const fetchOnce = async (target: string, init: RequestInit): Promise<Response> => {
    try {
      // A credential must not go where an answer points to.
      return await fetch(url + target, { ...init, redirect: 'manual' })
    } catch (fault) {
      throw unreachable(url, fault)
    }
  }
  return {
    name: url,
    send: async ({ method, target, headers, body, takesJwt }, signal): Promise<Reply> => {
      const all = { ...headers, ...headersOf(config, takesJwt) }
      const response = await fetchOnce(target, { method, headers: all, signal, ...(body !== undefined && { body }) })
      const type = response.headers.get('content-type') ?? ''
      return { status: response.status, type, body: readBody(url, response.body ?? []) }
    },
    close: () => Promise.resolve(),
  }
}
