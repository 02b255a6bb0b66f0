// A worker in workerd, the runtime of Cloudflare's workers: a file is bundled as its users bundle theirs, and answers requests.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { endChild } from '../processes/end-child.ts'
import { freePort } from '../processes/free-port.ts'
import { until } from '../processes/until.ts'

const OUTPUT_MAX = 100_000
const COMPATIBILITY_DATE = '2026-11-01'

export type RunningWorker = {
  readonly origin: string
  /** What it has written so far. */
  readonly output: () => string
  readonly stop: () => Promise<void>
}

// No flag for Node: the packages need none. Only this machine is called.
const configOf = (file: string, port: number, bindings: Readonly<Record<string, string>>): string => {
  const texts = Object.entries(bindings).map(([name, value]) => `(name = "${name}", text = ${JSON.stringify(value)})`)
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "internet", network = (allow = ["local"]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "${file}", esModule = embed "${file}")],
  compatibilityDate = "${COMPATIBILITY_DATE}",
  bindings = [${texts.join(', ')}]
);
`
}

const isListening = async (origin: string): Promise<boolean> => {
  try {
    await (await fetch(`${origin}/listening`)).body?.cancel()
    return true
  } catch {
    return false
  }
}

/** Throws where the file cannot be bundled for a runtime without Node, or where the program does not listen. */
export const startWorker = async (
  { path, args }: { readonly path: string; readonly args: readonly string[] },
  { folder, file }: { readonly folder: string; readonly file: string },
  bindings: Readonly<Record<string, string>> = {},
): Promise<RunningWorker> => {
  const outfile = join(folder, `bundled-${file}`)
  const conditions = ['workerd', 'worker', 'browser']
  const target = { bundle: true, format: 'esm', target: 'es2024', conditions, logLevel: 'silent' } as const
  await build({ ...target, entryPoints: [join(folder, file)], outfile })
  const port = await freePort()
  const config = join(folder, `${file}.capnp`)
  writeFileSync(config, configOf(basename(outfile), port, bindings))
  const child = spawn(path, [...args, config], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const take = (text: string): void => {
    output = (output + text).slice(-OUTPUT_MAX)
  }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', take)
  let fault: Error | undefined
  child.once('error', error => {
    fault = error
  })
  const stop = async (): Promise<void> => {
    if (fault === undefined) await endChild(child, 'SIGKILL')
  }
  const origin = `http://127.0.0.1:${port}`
  try {
    await until('the worker listens', async () => {
      if (fault !== undefined || child.exitCode !== null) throw new Error(`It has ended: ${fault?.message ?? output}`)
      return isListening(origin)
    })
  } catch (problem) {
    await stop()
    throw problem
  }
  return { origin, output: () => output, stop }
}
