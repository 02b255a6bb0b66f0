// What the feed drill does to the way between the service and its verifiers, or to their clocks: again and again for
// some seconds, with quiet ones between.
import { setTimeout as delay } from 'node:timers/promises'
import { type BufferingProxy, openBufferingProxy } from '../../../testkit/proxies/buffering-proxy.ts'
import { BOTH, type Link, openLink } from '../../../testkit/proxies/link.ts'
import { findNginx, type Nginx, openNginx } from '../../../testkit/proxies/nginx.ts'
import type { Random } from '../random.ts'

export const FAULTS = ['none', 'cut', 'slow', 'buffer', 'nginx', 'kill', 'clock'] as const

export type Fault = (typeof FAULTS)[number]

/** Begins it; what it gives ends it. */
export type Begin = () => Promise<() => void>

export type Way = {
  /** The port that stands for the service's. */
  readonly port: number
  readonly begin: Begin
}

/** What this machine lacks for a fault, if anything. */
export const lacksFor = (fault: Fault): string | undefined =>
  fault === 'nginx' && findNginx() === undefined ? 'nginx' : undefined

/** A replica of the service, as far as a fault touches it. */
export type Killed = { readonly port: number; readonly kill: () => Promise<void>; readonly start: () => Promise<void> }

/** Each way: so much later than without it. */
const SLOW_MS = 150
/** nginx: eight buffers of 4 kB. */
const BUFFER_BYTES = 32_768
/** As far as a machine's clock is set by hand, or by a virtual machine that was moved. */
const STEP_MS_MOST = 86_400_000
const QUIET_MS_LEAST = 1000
const QUIET_MS_MOST = 2500
/** The time beyond the allowed staleness: a token that ends as a fault begins is verified while no verifier may accept it. */
const BEYOND_STALENESS_MS_LEAST = 1000
const BEYOND_STALENESS_MS_MOST = 3000

const cutLink = (link: Link): Begin => {
  let times = 0
  return async () => {
    // In turn: everybody hears of it, nobody does, and what was sent arrives late.
    times += 1
    if (times % 2 === 0) link.reset()
    return link.hold(times % 3 === 0 ? ['back'] : BOTH)
  }
}

const bufferProxy =
  (proxy: Pick<BufferingProxy | Nginx, 'setBuffering'>): Begin =>
  async () => {
    proxy.setBuffering(true)
    return () => proxy.setBuffering(false)
  }

/** Cuts a way, and while nothing passes steps the clocks of all verifiers by up to a day: back, so that time seems to stand still, and ahead in turn. */
export const stepClocks = (cut: Begin, step: (ms: number) => Promise<void>, random: Random): Begin => {
  let times = 0
  return async () => {
    times += 1
    const ms = (times % 2 === 0 ? 1 : -1) * random.between(1, STEP_MS_MOST)
    const end = await cut()
    await step(ms)
    return () => {
      end()
      void step(-ms)
    }
  }
}

/** The way to one replica. What it opens ends with the drill. */
export const openWay = async (fault: Fault, replica: Killed, started: AsyncDisposableStack): Promise<Way> => {
  if (fault === 'cut' || fault === 'slow' || fault === 'clock') {
    const link = await openLink(replica.port)
    started.defer(link.close)
    return { port: link.port, begin: fault === 'slow' ? async () => link.delay(SLOW_MS) : cutLink(link) }
  }
  if (fault === 'buffer') {
    const proxy = await openBufferingProxy(replica.port, BUFFER_BYTES)
    started.defer(proxy.close)
    return { port: proxy.port, begin: bufferProxy(proxy) }
  }
  if (fault === 'nginx') {
    const nginx = await openNginx(findNginx() ?? 'nginx', replica.port)
    started.defer(nginx.close)
    return { port: nginx.port, begin: bufferProxy(nginx) }
  }
  const begin = async (): Promise<() => void> => {
    if (fault === 'kill') await replica.kill()
    return () => undefined
  }
  return { port: replica.port, begin }
}

export type FaultSchedule = { readonly faults: () => number; readonly stop: () => Promise<void> }

type Schedule = { readonly fault: Fault; readonly stalenessMs: number; readonly random: Random }

/** Strikes one after another until it is stopped; all is as it should be then. */
export const startFaults = (
  begins: readonly Begin[],
  replicas: readonly Killed[],
  { fault, stalenessMs, random }: Schedule,
): FaultSchedule => {
  let faults = 0
  const schedule = { isStopped: false }
  const strike = async (index: number): Promise<void> => {
    const end = await begins[index]?.()
    faults += 1
    await delay(stalenessMs + random.between(BEYOND_STALENESS_MS_LEAST, BEYOND_STALENESS_MS_MOST))
    end?.()
    if (fault === 'kill') await replicas[index]?.start()
  }
  const run = async (): Promise<void> => {
    while (!schedule.isStopped) {
      await delay(random.between(QUIET_MS_LEAST, QUIET_MS_MOST))
      if (!schedule.isStopped) await strike(random.below(begins.length))
    }
  }
  const running = fault === 'none' ? Promise.resolve() : run()
  // Reported to the one who stops it.
  running.catch(() => undefined)
  return {
    faults: () => faults,
    stop: async () => {
      schedule.isStopped = true
      await running
    },
  }
}
