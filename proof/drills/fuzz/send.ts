// Sends a request over a socket of its own as no library would: cut, chunked in odd ways, half closed, reset.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../random.ts'
import { type FuzzedRequest, mutateBytes } from './mutate.ts'

/** No answer where the connection was broken on purpose, or closed by the service. */
export type FuzzAnswer = { readonly status: number; readonly head: string; readonly text: string } | 'none'

/** The longest wait for a response: where the framing is false the service waits for more. */
const ANSWER_MS_MAX = 1000

const chunked = (body: Buffer, random: Random): Buffer => {
  const parts: Buffer[] = []
  for (let from = 0; from < body.length; ) {
    const length = Math.min(1 + random.below(64), body.length - from)
    const extension = random.pick(['', ';a=b', ';a="b;c"', ` ;${'x'.repeat(random.below(200))}`, ';'])
    const size = random.chance(0.9) ? length.toString(16) : random.pick(['0x5', 'FFFFFFFFF', '-1', '', '00000005'])
    parts.push(Buffer.from(`${size}${extension}\r\n`), body.subarray(from, from + length), Buffer.from('\r\n'))
    from += length
  }
  const trailer = random.pick(['', 'x-trailer: 1\r\n', 'content-length: 5\r\n'])
  return Buffer.concat([...parts, Buffer.from(`0\r\n${trailer}\r\n`)])
}

/** The request as bytes; its framing is sometimes a lie. */
export const bytesOf = ({ method, path, headers, body }: FuzzedRequest, host: string, random: Random): Buffer => {
  const isChunked = body !== null && random.chance(0.2)
  const length =
    body === null
      ? []
      : [`content-length: ${random.chance(0.97) ? body.length : random.pick([0, body.length + 9, '1e3', '-1'])}`]
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: ${random.chance(0.98) ? host : ''}`,
    'connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(isChunked ? ['transfer-encoding: chunked'] : length),
  ]
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  const sent = body === null ? Buffer.alloc(0) : isChunked ? chunked(body, random) : body
  const whole = Buffer.concat([head, sent])
  return random.chance(0.05) ? mutateBytes(whole, random) : whole
}

const write = async (socket: Socket, bytes: Buffer, random: Random): Promise<void> => {
  if (random.chance(0.8)) return void socket.write(bytes)
  const cut = random.below(bytes.length)
  socket.write(bytes.subarray(0, cut))
  await delay(random.below(3))
  socket.write(bytes.subarray(cut))
}

/** Returns the first response, without those after it. */
const answerIn = (status: number, head: string, rest: string): FuzzAnswer => {
  const length = /^content-length: (\d+)$/im.exec(head.replaceAll('\r', ''))?.[1]
  return { status, head, text: length === undefined ? rest : rest.slice(0, Number(length)) }
}

const readAnswer = (text: string): FuzzAnswer => {
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0)
  const end = text.indexOf('\r\n\r\n')
  return status === 0 || end < 0 ? 'none' : answerIn(status, text.slice(0, end), text.slice(end + 4))
}

const read = async (socket: Socket): Promise<FuzzAnswer> => {
  let received = ''
  socket.on('data', chunk => {
    received += chunk.toString('latin1')
  })
  socket.on('end', () => socket.destroy())
  await once(socket, 'close', { signal: AbortSignal.timeout(ANSWER_MS_MAX) }).catch(() => socket.destroy())
  return readAnswer(received)
}

/** Sends them over one connection; the first answer. */
export const sendOver = async (port: number, requests: readonly Buffer[], random: Random): Promise<FuzzAnswer> => {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true })
  socket.on('error', () => undefined)
  const bytes = Buffer.concat([...requests])
  const roll = random.below(100)
  if (roll < 4) {
    // Reset at any stage.
    socket.once('connect', () => {
      socket.write(bytes.subarray(0, random.below(bytes.length + 1)))
      setTimeout(() => socket.resetAndDestroy(), random.below(4))
    })
    await once(socket, 'close').catch(() => undefined)
    return 'none'
  }
  socket.once('connect', () => {
    void write(socket, bytes, random)
    if (roll < 10) socket.end()
  })
  return read(socket)
}
