// The runtimes that npm brings, for npm run check:packages.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const RUN_MS_MAX = 60_000
const INSTALL_MS_MAX = 180_000
/** What a program may do in Deno. */
const DENO = ['run', '--no-prompt', '--node-modules-dir=manual', '--allow-net', '--allow-read', '--allow-env']

export type Runtime = {
  readonly name: string
  /** `program` runs a file to its end; `worker` answers requests. */
  readonly kind: 'program' | 'worker'
  /** The package as npm installs it. */
  readonly specifier: string
  /** The path of the program in its folder of node_modules. */
  readonly program: string
  readonly args: readonly string[]
}

const { platform, arch } = process

const node = (version: string): Runtime => {
  const [major = ''] = version.split('.', 1)
  const [name, program] = [`node${major}`, `node${major}/bin/node`]
  const specifier = `${name}@npm:node-${platform}-${arch}@${version}`
  return { name: `Node ${version}`, kind: 'program', specifier, program, args: [] }
}

const BUN = `@oven/bun-${platform}-${arch}`
const DENO_PACKAGE = `@deno/${platform === 'linux' ? `linux-${arch}-glibc` : `${platform}-${arch}`}`
const WORKERD = `@cloudflare/workerd-${platform === 'win32' ? 'windows' : platform}-${arch === 'x64' ? '64' : arch}`

export const RUNTIMES: readonly Runtime[] = [
  node('22.23.3'),
  node('24.21.0'),
  node('26.10.0'),
  { name: 'Bun 1.4.5', kind: 'program', specifier: `${BUN}@1.4.5`, program: `${BUN}/bin/bun`, args: ['run'] },
  {
    name: 'Deno 2.9.6',
    kind: 'program',
    specifier: `${DENO_PACKAGE}@2.9.6`,
    program: `${DENO_PACKAGE}/deno`,
    args: DENO,
  },
  {
    name: 'workerd 2026-11-17',
    kind: 'worker',
    specifier: `${WORKERD}@1.20261117.1`,
    program: `${WORKERD}/bin/workerd`,
    args: ['serve'],
  },
]

/** Its program, or why there is none. */
export const fetchRuntime = (above: string, runtime: Runtime): { path: string } | { missing: string } => {
  const { name, specifier, program } = runtime
  // One of its own: an installation removes what it does not know.
  const folder = join(above, name)
  mkdirSync(folder)
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder]
  const options = { cwd: folder, encoding: 'utf8', timeout: INSTALL_MS_MAX } as const
  const { status, stderr, error } = spawnSync('npm', ['install', ...flags, specifier], options)
  const path = join(folder, 'node_modules', program)
  if (status === 0 && existsSync(path)) return { path }
  const [reason = ''] = (error?.message ?? stderr).split('\n').filter(line => /\S/.test(line) && !line.includes('warn'))
  return { missing: `npm does not bring ${specifier} (${reason})` }
}

/** What went wrong with what a runtime printed; null where nothing did. A secret in it is a fault. */
export const printedFault = (printed: string): string | null =>
  /eyJ[\w-]+\.|mm[ac]_/.test(printed) ? `it printed a secret: ${printed}` : null

/** What went wrong; null where nothing did. `given` is JSON in the variable MINTMARK_SMOKE. */
export const runProgram = async (
  { args }: Runtime,
  { path, folder, file }: { readonly path: string; readonly folder: string; readonly file: string },
  given: object,
): Promise<string | null> => {
  const own = { PATH: process.env['PATH'], HOME: folder, DENO_DIR: join(folder, '.deno'), NO_COLOR: '1' }
  const child = spawn(path, [...args, file], {
    cwd: folder,
    env: { ...own, MINTMARK_SMOKE: JSON.stringify(given) },
    timeout: RUN_MS_MAX,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    const [[status, signal], ...parts] = await Promise.all([
      once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
      text(child.stdout),
      text(child.stderr),
    ])
    const printed = parts.join('')
    return status === 0 ? printedFault(printed) : `it ended with ${status ?? signal}: ${printed.trim()}`
  } catch (fault) {
    return `it could not be started: ${String(fault)}`
  }
}
