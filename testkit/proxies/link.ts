// A TCP connection as the network may treat it: a proxy on a port of its own that passes bytes on until it is asked
// not to, in one direction or both, late, or never again.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Which way bytes go: to the server, or back from there. */
export type Direction = 'there' | 'back'

export const BOTH: readonly Direction[] = ['there', 'back']

export type Link = {
  readonly port: number
  /**
   * Holds back what is sent these ways, ends of connections too, without a sign to either side. What it returns releases it:
   * the bytes are then passed on, late but whole, as TCP does once the network is back, unless another call still holds them.
   */
  readonly hold: (directions: readonly Direction[]) => () => void
  /** Everything takes so much longer, each way, until what it returns is called. */
  readonly delay: (ms: number) => () => void
  /** Ends the connections there are, for both sides. */
  readonly reset: () => void
  /** Closes the way to the server, and still passes on its answers. */
  readonly halfClose: () => void
  readonly close: () => Promise<void>
}

type Piece = { readonly bytes: Buffer | 'end'; readonly due: number }

/** One direction of one connection: pieces in order, passed on when they are due and nothing holds them. */
type Pipe = { readonly pump: () => void }

/** What is done to a link, by however many at once. */
type Weather = { readonly holds: Set<readonly Direction[]>; delayMs: number }

const isHeld = ({ holds }: Weather, direction: Direction): boolean =>
  [...holds].some(directions => directions.includes(direction))

const HELD_PIECES_MAX = 256

const openPipe = (from: Socket, to: Socket, direction: Direction, weather: Weather): Pipe => {
  const queue: Piece[] = []
  let timer: NodeJS.Timeout | undefined
  const passOn = (): void => {
    clearTimeout(timer)
    timer = undefined
    for (let [piece] = queue; piece !== undefined && !isHeld(weather, direction); [piece] = queue) {
      const wait = piece.due - performance.now()
      if (wait > 0) {
        timer = setTimeout(passOn, wait)
        return
      }
      queue.shift()
      if (piece.bytes === 'end') to.end()
      else if (to.writable) to.write(piece.bytes)
    }
    if (queue.length < HELD_PIECES_MAX) from.resume()
  }
  const take = (bytes: Piece['bytes']): void => {
    queue.push({ bytes, due: performance.now() + weather.delayMs })
    if (queue.length >= HELD_PIECES_MAX) from.pause()
    passOn()
  }
  from.on('data', (bytes: Buffer) => take(bytes))
  from.on('end', () => take('end'))
  to.on('close', () => clearTimeout(timer))
  return { pump: passOn }
}

type Pair = { readonly near: Socket; readonly far: Socket; readonly pipes: readonly Pipe[] }

const openPair = (near: Socket, to: number, weather: Weather): Pair => {
  const far = connect({ host: '127.0.0.1', port: to, noDelay: true, allowHalfOpen: true })
  const pipes = [openPipe(near, far, 'there', weather), openPipe(far, near, 'back', weather)]
  // A side that breaks off breaks the other off too, but while the network holds back, nobody hears of it.
  const breakOff = (direction: Direction, other: Socket) => (): void => {
    if (!isHeld(weather, direction)) other.resetAndDestroy()
  }
  near.on('error', breakOff('there', far))
  far.on('error', breakOff('back', near))
  return { near, far, pipes }
}

/** Listens on a free port of the loopback and passes on to another. */
export const openLink = async (to: number): Promise<Link> => {
  const weather: Weather = { holds: new Set(), delayMs: 0 }
  const pairs = new Set<Pair>()
  const server = createServer({ allowHalfOpen: true, noDelay: true }, near => {
    const pair = openPair(near, to, weather)
    pairs.add(pair)
    let open = 2
    const closed = (): void => {
      open -= 1
      if (open === 0) pairs.delete(pair)
    }
    pair.near.once('close', closed)
    pair.far.once('close', closed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const reset = (): void => {
    for (const { near, far } of pairs) {
      near.resetAndDestroy()
      far.resetAndDestroy()
    }
  }
  const letGo = (): void => {
    // What broke off meanwhile is closed now.
    for (const { near, far, pipes } of pairs) {
      if (near.destroyed !== far.destroyed && weather.holds.size === 0) (near.destroyed ? far : near).resetAndDestroy()
      for (const pipe of pipes) pipe.pump()
    }
  }
  return {
    port,
    hold: directions => {
      const own = [...directions]
      weather.holds.add(own)
      return () => {
        weather.holds.delete(own)
        letGo()
      }
    },
    delay: ms => {
      weather.delayMs += ms
      return () => {
        weather.delayMs -= ms
      }
    },
    reset,
    halfClose: () => {
      for (const { far } of pairs) far.end()
    },
    close: async () => {
      reset()
      if (server.listening) await once(server.close(), 'close')
    },
  }
}
