// The API as commands use it: a request that is answered in JSON, or a failure for the person at the terminal. A service
// elsewhere may be another than it seems, so its answers are bounded and looked at before anything is done with them.
import { z } from 'zod'
import { fillPath, methodOf, type Operation, type PathOf } from '../../../../api/operation.ts'
import type { openAdministration } from '../../compose/administration.ts'
import type { Timing } from '../../ports/timing.ts'
import { CommandFailed, EXIT, type ExitCode } from '../terminal/exit.ts'
import { parseJson } from '../terminal/parse-json.ts'
import { isRecord, type PrintedRecord } from '../terminal/print.ts'
import type { Message, Reply, Transport } from './remote-transport.ts'

type QueryValue = string | number | boolean | readonly string[] | undefined

/** A member that is undefined is not sent. */
export type Query = Readonly<Record<string, QueryValue>>

const isOneOf = (statuses: readonly number[], status: number): boolean => statuses.includes(status)

const exitCodeOf = (status: number): ExitCode => {
  if (isOneOf([401, 403], status)) return EXIT.unauthorized
  // Of a gateway that does not reach the service, as of the service itself.
  return isOneOf([502, 503, 504], status) ? EXIT.unreachable : EXIT.failed
}

/** The service, or the administration in front of the store here, said no. */
export class ApiRefusal extends CommandFailed {
  readonly status: number
  /** What a service elsewhere answered; undefined where it was no record. */
  readonly answer: PrintedRecord | undefined
  constructor(description: string, status: number, error?: string, answer?: PrintedRecord) {
    super(description, exitCodeOf(status), error)
    this.status = status
    this.answer = answer
  }
}

/** What the work comes to, or `otherwise` where a call in it is refused so: unless said otherwise, as the caller lacks the right. */
export const orWhereRefused = async <T>(
  otherwise: T,
  work: () => Promise<T>,
  statuses: readonly number[] = [403],
): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiRefusal && statuses.includes(error.status)) return otherwise
    throw error
  }
}

/** The path, query and body of one operation, as the schemas of its row take them. */
export type CallOf<Row extends Operation> = {
  readonly query?: Query
} & (keyof PathOf<Row> extends never ? object : { readonly path: PathOf<Row> }) &
  (Row extends { readonly body: infer Body extends z.ZodType } ? { readonly body: z.input<Body> } : object) &
  (Row extends { readonly form: infer Form extends z.ZodType } ? { readonly form: z.input<Form> } : object)

export type Api = {
  /** Calls one operation of the API; the body of its answer, an object, is empty where there is none. */
  readonly call: <Row extends Operation>(row: Row, request: CallOf<Row>) => Promise<PrintedRecord>
  /** The answer of an export as it comes; it may be of any length. */
  readonly stream: (
    row: Operation,
    request: { readonly query?: Query | undefined },
  ) => Promise<AsyncIterable<Uint8Array>>
  readonly close: () => Promise<void>
}

/** A page of the largest records that there can be. */
const ANSWER_BYTES_MAX = 67_108_864

const checkSegment = (text: string): string => {
  // What a URL resolves before it is sent: it would name another path.
  if (text === '' || text === '.' || text === '..') throw new CommandFailed(`"${text}" is no id.`, EXIT.usage)
  return text
}

type LooseCall = {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Query | undefined
  readonly body?: unknown
  readonly form?: Readonly<Record<string, string>>
}

const checkIds = (path: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  for (const id of Object.values(path)) checkSegment(id)
  return path
}

const queryOf = (query: Query = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map(each => [name, String(each)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

const bodyOf = ({ body, form }: LooseCall): Pick<Message, 'headers' | 'body'> => {
  if (form !== undefined) {
    const text = new URLSearchParams(form).toString()
    return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: text }
  }
  const text = body === undefined ? undefined : JSON.stringify(body)
  return text === undefined ? { headers: {} } : { headers: { 'content-type': 'application/json' }, body: text }
}

const messageOf = (row: Operation, call: LooseCall): Message => {
  const { path = {}, query } = call
  const target = fillPath(row, checkIds(path)) + queryOf(query)
  return { method: methodOf(row), target, takesJwt: row.access !== 'introspector', ...bodyOf(call) }
}

/** The text of an answer; undefined where it is longer than it may be. */
const readText = async (body: Reply['body']): Promise<string | undefined> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > ANSWER_BYTES_MAX) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** Ends what is given up by `controller` where no part came in time. */
async function* inTime(chunks: AsyncIterable<Uint8Array>, controller: AbortController, partMs: number) {
  const giveUp = (): void => controller.abort(new DOMException('The operation timed out.', 'TimeoutError'))
  let timer = setTimeout(giveUp, partMs)
  try {
    for await (const chunk of chunks) {
      clearTimeout(timer)
      yield chunk
      timer = setTimeout(giveUp, partMs)
    }
  } finally {
    clearTimeout(timer)
  }
}

const textsIn = (answer: unknown): readonly string[] =>
  answer instanceof z.ZodObject
    ? Object.entries(answer.shape).flatMap(([name, member]) => (member instanceof z.ZodString ? [name] : []))
    : []

/** A text that its answer of this status has and this one lacks: a service elsewhere may be another than it seems. */
const missingIn = (answer: PrintedRecord, { answers }: Operation, status: number): string | undefined => {
  const described = answers[status]
  const alternatives: readonly unknown[] = described instanceof z.ZodUnion ? described.options : [described]
  const missing = alternatives.map(one => textsIn(one).find(member => typeof answer[member] !== 'string'))
  return missing.includes(undefined) ? undefined : missing[0]
}

type DirectRefusal = {
  readonly refusal: { readonly code: string; readonly description: string }
  readonly status: number
}

const directRefusal = ({ refusal: { code, description }, status }: DirectRefusal): ApiRefusal =>
  new ApiRefusal(description, status, code)

async function* bytesOf(texts: AsyncIterable<string>) {
  for await (const text of texts) yield Buffer.from(text)
}

/** The API of the store of this machine, called without HTTP. */
export const connectDirect = ({ call, stream, close }: Awaited<ReturnType<typeof openAdministration>>): Api => ({
  call: async (row, request) => {
    const { path = {}, query, body, form }: LooseCall = request
    const answer = await call(row, { path: checkIds(path), query, body: body ?? form })
    if ('refusal' in answer) throw directRefusal(answer)
    return (answer.body ?? {}) as PrintedRecord // every answer is an object
  },
  stream: async (row, { query }) => {
    const answer = await stream(row, { query })
    if ('refusal' in answer) throw directRefusal(answer)
    return bytesOf(answer.texts)
  },
  close,
})

/** A description has one line: another one would look like one of the program's own. */
const oneLine = (description: string): string => description.replaceAll(/[\r\n]+/g, ' ')

type ApiTiming = Pick<Timing, 'commandAnswerMs' | 'commandPartMs'>

export const connectApi = ({ name, send, close }: Transport, timing: ApiTiming): Api => {
  const wrong = (status: number, why: string, answer?: PrintedRecord): ApiRefusal =>
    new ApiRefusal(`${name} does not answer as Mintmark does (status ${status}): ${why}.`, status, undefined, answer)

  const readJson = async ({ status, type, body }: Reply): Promise<PrintedRecord> => {
    if (status >= 300 && status < 400) throw wrong(status, 'it redirects, and redirects are not followed')
    const text = await readText(body)
    if (text === undefined) throw wrong(status, `more than ${ANSWER_BYTES_MAX} bytes`)
    if (status === 204) return {}
    if (!/^application\/(problem\+)?json\b/i.test(type)) throw wrong(status, 'it is not JSON')
    const value = parseJson(text)
    if (!isRecord(value)) throw wrong(status, 'it is not an object of JSON')
    return value
  }

  const refusalIn = (status: number, answer: PrintedRecord): ApiRefusal => {
    const { error, error_description: description } = answer
    return typeof description === 'string'
      ? new ApiRefusal(oneLine(description), status, typeof error === 'string' ? error : undefined, answer)
      : wrong(status, 'it is no error of Mintmark', answer)
  }

  const call: Api['call'] = async (row, request) => {
    const reply = await send(messageOf(row, request), AbortSignal.timeout(timing.commandAnswerMs))
    const { status } = reply
    const answer = await readJson(reply)
    if (!isSuccess(status)) throw refusalIn(status, answer)
    const missing = missingIn(answer, row, status)
    if (missing !== undefined) throw wrong(status, `${missing} is missing`)
    return answer
  }

  const stream: Api['stream'] = async (row, request) => {
    const controller = new AbortController()
    const reply = await send(messageOf(row, request), controller.signal)
    const { status } = reply
    if (isSuccess(status)) return inTime(reply.body, controller, timing.commandPartMs)
    throw refusalIn(status, await readJson(reply))
  }

  return { call, stream, close }
}
