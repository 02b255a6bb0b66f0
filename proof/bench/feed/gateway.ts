// How many checks a second `mintmark-verify serve` answers on one core, beside a bare server of node:http that answers 200 with the
// same headers, in the same run and by turns. Both servers have one core; the load and the reference publisher have the other.
import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { endChild } from '../../../testkit/processes/end-child.ts'
import { freePort } from '../../../testkit/processes/free-port.ts'
import { until } from '../../../testkit/processes/until.ts'
import { API_KEY, AUDIENCE, startPublisher } from '../../../testkit/feed/reference-publisher.ts'
import { makeBound, readOptions } from '../../options.ts'
import { askOnce, getRequest } from '../connection.ts'
import { formatTable, median } from '../figures.ts'
import { type Load, runClosed, UnexpectedAnswer } from '../load.ts'
import { type Cores, divideCores } from '../machine.ts'

const COMMAND = resolve(import.meta.dirname, '../../../packages/gateway/bin/mintmark-verify.js')
const BARE = `require('node:http').createServer((request, response) => {
  response.sendDate = false
  response.writeHead(200, ['Cache-Control', 'no-store', 'Content-Length', '0']).end()
}).listen(Number(process.argv[1]), '127.0.0.1')`
const TOKENS = 1000
/** Single ends in the feed. */
const ENDED = 1000

const options = readOptions({ rounds: 7, connections: 32, milliseconds: 2000 })
const isOver = makeBound(options)

const start = (cores: Cores, args: readonly string[], environment: NodeJS.ProcessEnv = {}): ChildProcess => {
  const command = [process.execPath, ...args]
  // taskset becomes the program that it starts: the id stays.
  const [file = '', ...rest] = cores === null ? command : ['taskset', '-c', cores.servers, ...command]
  return spawn(file, rest, {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
}

const untilStatus = (port: number, path: string): Promise<void> =>
  until(`200 at ${path}`, async () => {
    try {
      return (await askOnce(port, getRequest(path))).status === 200
    } catch {
      return false
    }
  })

type Case = {
  readonly name: string
  readonly port: number
  readonly pid: number
  readonly requests: readonly string[]
  readonly status: number
}

const loadOf = ({ name, port, pid, requests, status }: Case): Load => {
  let sent = 0
  return {
    port,
    pid,
    next: () => {
      sent += 1
      return requests[sent % requests.length]
    },
    take: answer => {
      if (answer.status !== status) throw new UnexpectedAnswer(name, answer)
    },
  }
}

const checkWith = (token: string): string => getRequest('/check', [`authorization: Bearer ${token}`])

const startServers = async (cores: Cores) => {
  const publisher = await startPublisher()
  for (let n = 0; n < ENDED; n += 1) publisher.end(publisher.mint())
  publisher.log.segmentLength = ENDED
  const [port, barePort] = [await freePort(), await freePort()]
  const args = ['--issuer', publisher.issuer, '--audience', AUDIENCE, '--scope', 'db:read', '--when-stale', 'refuse']
  const serve = ['serve', ...args, '--listen', `127.0.0.1:${port}`]
  const gateway = start(cores, [COMMAND, ...serve], { MINTMARK_VERIFY_API_KEY: API_KEY })
  const bare = start(cores, ['-e', BARE, String(barePort)])
  await untilStatus(port, '/readyz')
  await untilStatus(barePort, '/')
  const checks = Array.from({ length: TOKENS }, () => checkWith(publisher.mint().token))
  const own = { port, pid: gateway.pid ?? 0 }
  const cases: readonly Case[] = [
    { name: 'bare node:http', port: barePort, pid: bare.pid ?? 0, requests: checks, status: 200 },
    { name: 'a token seen before', ...own, requests: checks.slice(0, 1), status: 200 },
    { name: `${TOKENS} tokens by turns`, ...own, requests: checks, status: 200 },
    { name: 'no token', ...own, requests: [getRequest('/check')], status: 401 },
  ]
  const stop = async (): Promise<void> => {
    await Promise.all([gateway, bare].map(child => endChild(child, 'SIGKILL')))
    await publisher.close()
  }
  return { cases, stop }
}

const main = async (): Promise<void> => {
  const cores = divideCores()
  const { cases, stop } = await startServers(cores)
  const figures = cases.map(one => ({
    name: one.name,
    load: loadOf(one),
    rates: [] as number[],
    costs: [] as number[],
  }))
  // The first round warms up, and is not counted.
  for (let round = 0; round <= options.rounds && (round < 2 || !isOver()); round += 1) {
    for (const { load, rates, costs } of figures) {
      const { requests, seconds, processorSeconds } = await runClosed(load, options.connections, options.milliseconds)
      if (round === 0) continue
      rates.push(requests / seconds)
      costs.push((processorSeconds * 1e6) / requests)
    }
  }
  await stop()
  const bare = figures[0]?.rates ?? []
  const rows = figures.map(({ name, rates, costs }) => [
    name,
    median(rates),
    median(costs),
    median(rates) / median(bare),
  ])
  if (cores === null) console.log('Servers and load share their cores: the rates say little.')
  console.log(formatTable(['', 'a second', 'µs of processor time', 'of bare'], rows))
}

await main()
