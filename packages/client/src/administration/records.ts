// An export as records: lines of JSON, each handed out as it comes, so that no more than a part and a line are ever held.
import { faultOf, parseObject, readerOf, startDeadline, untilAborted } from '../wire/exchange.ts'
import { ApiRefused, ApiUnavailable } from './api-errors.ts'
import {
  type ApiOperation,
  type Connection,
  isSuccess,
  type LooseRequest,
  messageOf,
  refusalOf,
  unavailable,
} from './call.ts'

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

/** The parts of an answer, each in time. */
async function* textsOf(response: Response, { partMs }: Connection, caller?: AbortSignal) {
  const decoder = new TextDecoder()
  const reader = readerOf(response)
  if (reader === undefined) return
  const deadline = startDeadline(partMs, caller, 'no further part')
  try {
    for (;;) {
      const { done, value } = await untilAborted(reader.read(), deadline.signal)
      if (done) return
      // The reader of the records may take its time.
      deadline.pause()
      yield decoder.decode(value, { stream: true })
      deadline.restart()
    }
  } catch (fault) {
    throw faultOf(fault, deadline)
  } finally {
    deadline.end()
    // A loop that is left early has no use for the rest.
    void reader.cancel().catch(() => undefined)
  }
}

const readRefusal = async (response: Response, connection: Connection): Promise<string> => {
  let text = ''
  for await (const part of textsOf(response, connection)) {
    text += part
    if (text.length > REFUSAL_BYTES_MAX) return ''
  }
  return text
}

const open = async (connection: Connection, row: ApiOperation, request: LooseRequest): Promise<Response> => {
  const message = await messageOf(connection, row, request)
  const deadline = startDeadline(connection.timeoutMs, request.signal, 'no answer')
  const { signal } = deadline
  try {
    // The body is read under a deadline of its own, so this signal ends with the headers.
    const sent = connection.fetch(message.url, { ...message.init, redirect: 'manual', signal })
    const response = await untilAborted(sent, signal)
    if (isSuccess(response.status)) return response
    const text = await untilAborted(readRefusal(response, connection), signal)
    throw refusalOf({ status: response.status, headers: response.headers, text }, message)
  } catch (fault) {
    if (fault instanceof ApiRefused || fault instanceof ApiUnavailable) throw fault
    throw faultOf(fault, deadline)
  } finally {
    deadline.end()
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
