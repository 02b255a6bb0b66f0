// The machine that a figure was measured on, and which of its cores serve and which make the load.
import { spawnSync } from 'node:child_process'
import { cpus, release, totalmem, type } from 'node:os'
import { relative, resolve } from 'node:path'

/** Cores by number, as taskset takes them; null where processes cannot be kept on cores. */
export type Cores = { readonly servers: string; readonly load: string } | null

const ROOT = resolve(import.meta.dirname, '../..')

const print = (command: string, args: readonly string[]): string | undefined => {
  const { status, stdout } = spawnSync(command, args, { cwd: import.meta.dirname, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

const allowedCores = (): readonly number[] => {
  const list =
    print('taskset', ['-cp', String(process.pid)])
      ?.split(': ')
      .at(-1) ?? ''
  return list.split(',').flatMap(range => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number)
    return Number.isNaN(first) ? [] : Array.from({ length: last - first + 1 }, (_, n) => first + n)
  })
}

/** The last core for the load, the others for the servers. Moves this process, which makes the load, to its core. */
export const divideCores = (): Cores => {
  if (process.platform !== 'linux') return null
  const cores = allowedCores()
  const load = cores.at(-1)
  if (cores.length < 2 || load === undefined) return null
  if (print('taskset', ['-a', '-cp', String(load), String(process.pid)]) === undefined) return null
  return { servers: cores.slice(0, -1).join(','), load: String(load) }
}

const commit = (): string => {
  const name = print('git', ['rev-parse', '--short=12', 'HEAD']) ?? 'unknown'
  const changes = print('git', ['status', '--porcelain', '--', '../../server/src', '../../server/package.json'])
  return changes === undefined || changes === '' ? name : `${name} with changes that are not committed`
}

const describeCores = (cores: Cores): string =>
  cores === null
    ? 'servers and load generator SHARE their cores (no taskset, or one core): throughput and latency say little'
    : `servers on core ${cores.servers}, load generator on core ${cores.load}`

const quote = (word: string): string => (/^[\w.,=-]+$/.test(word) ? word : `'${word}'`)

/** One line a fact. */
export const describeMachine = (cores: Cores): readonly string[] => {
  const gibibytes = Math.round(totalmem() / 2 ** 30)
  return [
    `machine: ${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, ${gibibytes} GiB`,
    `system: ${type()} ${release()}, Node ${process.version}`,
    `cores: ${describeCores(cores)}`,
    `commit: ${commit()}`,
    `command: node ${relative(ROOT, process.argv[1] ?? '')} ${process.argv.slice(2).map(quote).join(' ')}`.trimEnd(),
    `time: ${new Date().toISOString()}`,
  ]
}
