// Times answers on one keep-alive connection, a request at a time, the classes in random order.
import { connect, type Socket } from 'node:net'
import { makeAnswerReader } from '../overload/answer-reader.ts'
import type { Random } from '../random.ts'
import { normalize } from './responses.ts'

export type Sampling = {
  readonly port: number
  /** The requests of each class, which take turns. */
  readonly classes: readonly (readonly Uint8Array[])[]
  readonly samplesEach: number
  /** A connection carries so many, then another takes its place, from another address. */
  readonly perConnection: number
}

export type Sampled = {
  /** The times of each class in µs. */
  readonly times: readonly Float64Array[]
  /** What each class was answered, without the headers that always change. */
  readonly answers: readonly ReadonlySet<string>[]
}

/** The first of a connection are slower, and are not counted. */
const FIRST_OF_CONNECTION = 5
const READ_BYTES = 65_536
const ANSWERS_MAX = 16

const sourceOf = ({ between }: Random): string =>
  process.platform === 'linux' ? `127.78.${between(0, 255)}.${between(1, 254)}` : '127.0.0.1'

type Exchange = { readonly socket: Socket; readonly ask: (request: Uint8Array) => Promise<Answered> }

type Answered = { readonly micros: number; readonly text: string }

const openExchange = (port: number, source: string): Promise<Exchange> =>
  new Promise((resolve, reject) => {
    const buffer = Buffer.allocUnsafe(READ_BYTES)
    let sentAt = 0n
    let text = ''
    let answered: ((answer: Answered) => void) | undefined
    let failed: (fault: Error) => void = reject
    const read = makeAnswerReader(() => {
      const micros = Number(process.hrtime.bigint() - sentAt) / 1000
      answered?.({ micros, text })
    })
    const callback = (bytes: number): boolean => {
      const chunk = buffer.subarray(0, bytes)
      text += chunk.toString('latin1')
      read(chunk)
      return true
    }
    const socket = connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      localAddress: source,
      onread: { buffer, callback },
    })
    socket.on('error', fault => failed(fault))
    socket.on('close', () => failed(new Error('The service ended the connection of the samples.')))
    const ask = (request: Uint8Array): Promise<Answered> =>
      new Promise((onAnswer, onFault) => {
        answered = onAnswer
        failed = onFault
        text = ''
        sentAt = process.hrtime.bigint()
        socket.write(request)
      })
    socket.once('connect', () => resolve({ socket, ask }))
  })

type Collected = { readonly times: Float64Array; readonly answers: Set<string>; count: number }

const collect = (collected: Collected, { micros, text }: Answered): void => {
  collected.times[collected.count] = micros
  collected.count += 1
  if (collected.answers.size < ANSWERS_MAX) collected.answers.add(normalize(text))
}

/** Takes the samples. Throws where a connection ends early. */
export const takeSamples = async (
  { port, classes, samplesEach, perConnection }: Sampling,
  random: Random,
): Promise<Sampled> => {
  const all = classes.map((): Collected => ({ times: new Float64Array(samplesEach), answers: new Set(), count: 0 }))
  let open = classes.map((_, n) => n)
  let sent = 0
  while (open.length > 0) {
    const { socket, ask } = await openExchange(port, sourceOf(random))
    for (let turn = -FIRST_OF_CONNECTION; turn < perConnection && open.length > 0; turn += 1) {
      const n = random.pick(open)
      const requests = classes[n] ?? []
      const collected = all[n]
      const request = requests[sent++ % requests.length]
      if (request === undefined || collected === undefined) throw new Error('A class has no request.')
      const answer = await ask(request)
      if (turn >= 0) collect(collected, answer)
      if (collected.count === samplesEach) open = open.filter(each => each !== n)
    }
    socket.removeAllListeners('close').destroy()
  }
  return { times: all.map(({ times }) => times), answers: all.map(({ answers }) => answers) }
}
