// Requests to a service elsewhere: over TLS unless it is on this machine, without following redirects.
import type { RemoteConfig } from '../config-remote.ts'
import { CommandFailed, EXIT } from './exit.ts'
import type { Reply, Transport } from './transport.ts'

const reasonOf = (fault: unknown): string => {
  const cause = fault instanceof Error && fault.cause instanceof Error ? fault.cause : fault
  if (!(cause instanceof Error)) return String(cause)
  if (cause.name === 'TimeoutError') return 'no whole answer in time'
  return 'code' in cause && typeof cause.code === 'string' ? `${cause.code} ${cause.message}` : cause.message
}

const unreachable = (url: string, fault: unknown): CommandFailed =>
  new CommandFailed(
    `${url} cannot be reached: ${reasonOf(fault)}. Whether a change was made is unknown where one was asked for.`,
    EXIT.unreachable,
  )

/** What comes of the body, or why no more does. */
async function* readBody(url: string, body: AsyncIterable<Uint8Array> | readonly Uint8Array[]) {
  try {
    yield* body
  } catch (fault) {
    throw unreachable(url, fault)
  }
}

const headersOf = ({ apiKey, operatorJwt }: RemoteConfig): Readonly<Record<string, string>> => ({
  ...(apiKey !== null && { 'x-api-key': apiKey }),
  ...(operatorJwt !== null && { authorization: `Bearer ${operatorJwt}` }),
})

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
    send: async ({ method, target, headers, body }, signal): Promise<Reply> => {
      const all = { ...headers, ...headersOf(config) }
      const response = await fetchOnce(target, { method, headers: all, signal, ...(body !== undefined && { body }) })
      const type = response.headers.get('content-type') ?? ''
      return { status: response.status, type, body: readBody(url, response.body ?? []) }
    },
    close: () => Promise.resolve(),
  }
}
