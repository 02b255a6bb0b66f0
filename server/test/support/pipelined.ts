// Requests that arrive in one turn of the event loop: written to one connection at once, and so in one group.
import { sendBytes } from './requests.ts'
import type { TestServer } from './test-server.ts'

/** A form that is posted; `form` is sent as it is written. */
export type PipelinedForm = {
  readonly path: string
  readonly form: string
  readonly headers?: Readonly<Record<string, string>>
}

export type PipelinedAnswer = {
  readonly status: number
  /** Status line, headers and body. */
  readonly text: string
  /** The body, where it is JSON. */
  readonly json: unknown
}

const textOf = (service: TestServer, { path, form, headers = {} }: PipelinedForm, isLast: boolean): string => {
  const { host, pathname } = new URL(service.baseUrl)
  const lines = Object.entries({
    host,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(form)),
    ...(isLast && { connection: 'close' }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${pathname.replace(/\/$/, '')}${path} HTTP/1.1\r\n${lines.join('')}\r\n${form}`
}

const answerOf = (text: string): PipelinedAnswer => {
  const body = text.slice(text.indexOf('\r\n\r\n') + 4)
  const isJson = body.startsWith('{')
  return { status: Number(text.split(' ')[1]), text, json: isJson ? (JSON.parse(body) as unknown) : undefined }
}

/** The answers, in order. */
export const sendTogether = async (
  service: TestServer,
  forms: readonly PipelinedForm[],
): Promise<readonly PipelinedAnswer[]> => {
  const bytes = forms.map((form, n) => textOf(service, form, n === forms.length - 1)).join('')
  const text = await sendBytes(service, bytes)
  return text.split(/(?=HTTP\/1\.1 \d{3} )/).map(answerOf)
}
