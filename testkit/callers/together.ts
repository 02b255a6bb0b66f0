// Requests that arrive in one turn of the event loop, and so in one group: each on a connection of its own, for of one
// connection no two are served at once.
import { writeTogether } from './raw-connection.ts'
import type { TestServer } from '../services/test-server.ts'

/** A form that is posted; `form` is sent as it is written. */
export type FormRequest = {
  readonly path: string
  readonly form: string
  readonly headers?: Readonly<Record<string, string>>
}

export type FormAnswer = {
  readonly status: number
  /** Status line, headers and body. */
  readonly text: string
  /** The body, where it is JSON. */
  readonly json: unknown
}

const textOf = (service: TestServer, { path, form, headers = {} }: FormRequest): string => {
  const { host, pathname } = new URL(service.baseUrl)
  const lines = Object.entries({
    host,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(form)),
    connection: 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${pathname.replace(/\/$/, '')}${path} HTTP/1.1\r\n${lines.join('')}\r\n${form}`
}

const answerOf = (text: string): FormAnswer => {
  const body = text.slice(text.indexOf('\r\n\r\n') + 4)
  const isJson = body.startsWith('{')
  return { status: Number(text.split(' ')[1]), text, json: isJson ? (JSON.parse(body) as unknown) : undefined }
}

/** The answers, in order. */
export const sendTogether = async (
  service: TestServer,
  forms: readonly FormRequest[],
): Promise<readonly FormAnswer[]> => {
  return (
    await writeTogether(
      service,
      forms.map(form => textOf(service, form)),
    )
  ).map(answerOf)
}
