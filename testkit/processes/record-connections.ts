// Imported before a program: appends to the file that RECORDED_CONNECTIONS names what each of its threads connects to, which names
// it looks up, to whom it sends datagrams and which programs it starts. A day passes in half a second, so that what a program does once
// an hour or once a day is seen too.
import childProcess, { ChildProcess } from 'node:child_process'
import dgram from 'node:dgram'
import dns from 'node:dns'
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { isIP, Socket } from 'node:net'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import { threadId } from 'node:worker_threads'

type Anything = (this: unknown, ...args: unknown[]) => unknown
type Members = Record<string, unknown>

const FILE = process.env['RECORDED_CONNECTIONS'] ?? ''
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const DAY_LASTS_MS = 500
/** What is done once a minute would otherwise be done without a pause. */
const LASTS_MS_MIN = 100

const record = (what: string): void => appendFileSync(FILE, `${what}\n`)

const replace = (holder: object, name: string, make: (original: Anything) => Anything): void => {
  const members = holder as Members
  const original = members[name] as Anything
  // `setTimeout` carries what `util.promisify` makes of it.
  const made = Object.defineProperties(make(original), Object.getOwnPropertyDescriptors(original))
  members[name] = made
}

/** Records each call, and makes it. */
const watch = (holder: object, name: string, describe: (args: readonly unknown[]) => string | undefined): void => {
  replace(holder, name, original => {
    return function (this: unknown, ...args) {
      const what = describe(args)
      if (what !== undefined) record(what)
      return Reflect.apply(original, this, args)
    }
  })
}

/** `net.connect` passes its arguments as one list; a program may give options, a port and a host, or a path. */
const describeTarget = ([first, second]: readonly unknown[]): string => {
  if (Array.isArray(first)) return describeTarget(first)
  if (typeof first === 'string' && !/^\d+$/.test(first)) return `connects to ${first}`
  const options = typeof first === 'object' && first !== null ? first : { port: first, host: second }
  const { path, port, host } = options as Members
  return `connects to ${typeof path === 'string' ? path : `${typeof host === 'string' ? host : 'localhost'}:${String(port)}`}`
}

watch(Socket.prototype, 'connect', describeTarget)
for (const name of ['send', 'connect']) watch(dgram.Socket.prototype, name, () => `${name} of a datagram socket`)

// A server that listens "looks up" its address, which asks nobody.
const describeName = ([name]: readonly unknown[]): string | undefined =>
  typeof name === 'string' && isIP(name) !== 0 ? undefined : `looks up ${String(name)}`

for (const holder of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
  const names = new Set(Object.getOwnPropertyNames(holder))
  for (const name of names) if (/^(?:lookup|resolve|reverse)/.test(name)) watch(holder, name, describeName)
}

watch(ChildProcess.prototype, 'spawn', ([options]) => `starts ${String((options as Members)['file'])}`)
for (const name of ['spawnSync', 'execFileSync', 'execSync'])
  watch(childProcess, name, ([file]) => `starts ${String(file)}`)

const shorten = (delay: unknown): unknown =>
  typeof delay === 'number' && delay >= MINUTE_MS
    ? Math.max(LASTS_MS_MIN, Math.min(delay * (DAY_LASTS_MS / DAY_MS), DAY_LASTS_MS))
    : delay

for (const [holder, name, place] of [
  [globalThis, 'setTimeout', 1],
  [globalThis, 'setInterval', 1],
  [timers, 'setTimeout', 1],
  [timers, 'setInterval', 1],
  [timersPromises, 'setTimeout', 0],
  [timersPromises, 'setInterval', 0],
] as const) {
  replace(holder, name, original => {
    return function (this: unknown, ...args) {
      return Reflect.apply(original, this, args.with(place, shorten(args[place])))
    }
  })
}
syncBuiltinESMExports()

const thread = `${process.pid}/${threadId}`
record(`thread ${thread} begins`)
setInterval(() => record(`thread ${thread}: a day has passed`), DAY_MS).unref()
process.once('exit', () => record(`thread ${thread} ends`))
