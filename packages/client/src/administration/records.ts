// An export as records: lines of JSON, each handed out as it comes, so that no more than a part and a line are ever held.
import { type Deadline, startDeadline } from '../../../verify/src/wire/deadline.ts'
import { chunksOf, ExchangeFault, readBody, send } from '../../../verify/src/wire/exchange.ts'
import { WEB_RUNTIME } from '../../../verify/src/wire/runtime.ts'
import { isSuccess, parseObject } from '../wire/answer.ts'
import { ApiUnavailable } from './api-errors.ts'
import { type ApiOperation, type Connection, type LooseRequest, messageOf, refusalOf, unavailable } from './call.ts'

/** The longest line, which is one record: far more than any record has. */
const LINE_CHARACTERS_MAX = 1_048_576
const REFUSAL_BYTES_MAX = 65_536

const cut = (why: string): ApiUnavailable => new ApiUnavailable(`the export is not whole: ${why}`)

const parseLine = (line: string): unknown => {
  const record = parseObject(line)
  if (record === undefined) throw cut('a line is no object of JSON')
  return record
}

const checkLength = (line: string): string => {
  if (line.length > LINE_CHARACTERS_MAX) throw cut(`a line has more than ${LINE_CHARACTERS_MAX} characters`)
  return line
}

/** The lines of texts. Each ends with a newline, the last one too: else something was lost. */
async function* linesOf(texts: AsyncIterable<string>) {
  let rest = ''
  for await (const text of texts) {
    const parts = text.split('\n')
    const last = parts.pop() ?? ''
    for (const part of parts) {
      yield checkLength(rest + part)
      rest = ''
    }
    rest = checkLength(rest + last)
  }
  if (rest !== '') throw cut('its last line has no end')
}

const limit = (ms: number, caller: AbortSignal | undefined, what: string): Deadline =>
  startDeadline(WEB_RUNTIME.after, ms, caller, () => new ExchangeFault(`${what} within ${ms} ms`))

/** The parts of an answer, each in time. */
async function* textsOf(response: Response, { partMs }: Connection, caller: AbortSignal | undefined) {
  const decoder = new TextDecoder()
  const deadline = limit(partMs, caller, 'no further part')
  try {
    for await (const chunk of chunksOf(response, deadline.signal)) {
      // The reader of the records may take its time.
      deadline.pause()
      yield decoder.decode(chunk, { stream: true })
      deadline.restart()
    }
  } finally {
    deadline.end()
  }
}

const open = async (connection: Connection, row: ApiOperation, request: LooseRequest): Promise<Response> => {
  const message = await messageOf(connection, row, request)
  // The body is read under a deadline of its own, so this signal ends with the headers.
  const { signal, end } = limit(connection.timeoutMs, request.signal, 'no answer')
  try {
    const response = await send(connection.fetch, message.url, message.init, signal)
    const { status, headers } = response
    if (isSuccess(status)) return response
    throw refusalOf({ status, headers, bytes: await readBody(response, REFUSAL_BYTES_MAX, signal) }, message)
  } finally {
    end()
  }
}

/** The records of an export. */
export async function* readRecords(connection: Connection, row: ApiOperation, request: LooseRequest) {
  try {
    const response = await open(connection, row, request)
    for await (const line of linesOf(textsOf(response, connection, request.signal))) yield parseLine(line)
  } catch (fault) {
    throw unavailable(fault)
  }
}
