// A Prometheus that scrapes once a second what the drill starts, and evaluates the alerts as often.
import { spawn } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endChild } from '../../../testkit/processes/end-child.ts'
import { findProgram } from '../../../testkit/processes/find-program.ts'
import { freePort } from '../../../testkit/processes/free-port.ts'

const READY_TRIES = 200
const READY_APART_MS = 50

type Target = { readonly name: string; readonly port: number }

export type FiringAlert = {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly state: 'pending' | 'firing'
}

export type Prometheus = {
  readonly port: number
  readonly watch: (target: Target) => void
  readonly alerts: () => Promise<readonly FiringAlert[]>
  /** The first value of an instant query; undefined where it has no result. */
  readonly query: (query: string) => Promise<number | undefined>
}

const CONFIGURATION = `global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
rule_files: [rules.yaml]
scrape_configs:
  - job_name: mintmark
    file_sd_configs: [{files: [targets.json], refresh_interval: 1s}]
`

const readJson = async (url: string): Promise<unknown> => (await fetch(url)).json()

const untilReady = async (url: string): Promise<void> => {
  for (let n = 0; n < READY_TRIES; n += 1) {
    const answer = await fetch(`${url}/-/ready`).catch(() => undefined)
    if (answer?.status === 200) return
    await delay(READY_APART_MS)
  }
  throw new Error('Prometheus did not become ready.')
}

/** Returns undefined if the machine has no Prometheus. */
export const startPrometheus = async (
  folder: string,
  rules: string,
  started: AsyncDisposableStack,
): Promise<Prometheus | undefined> => {
  const program = findProgram('prometheus')
  if (program === undefined) return undefined
  const port = await freePort()
  const targets: Target[] = []
  const writeTargets = (): void => {
    const groups = targets.map(one => ({ targets: [`127.0.0.1:${one.port}`], labels: { instance: one.name } }))
    writeFileSync(join(folder, 'targets.new'), JSON.stringify(groups))
    renameSync(join(folder, 'targets.new'), join(folder, 'targets.json'))
  }
  writeTargets()
  writeFileSync(join(folder, 'rules.yaml'), rules)
  writeFileSync(join(folder, 'prometheus.yml'), CONFIGURATION)
  const storage = `--storage.tsdb.path=${join(folder, 'series')}`
  const args = ['--config.file=prometheus.yml', storage, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error']
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  started.defer(() => endChild(child, 'SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  await untilReady(url)
  return {
    port,
    watch: target => {
      targets.push(target)
      writeTargets()
    },
    alerts: async () =>
      ((await readJson(`${url}/api/v1/alerts`)) as { data: { alerts: readonly FiringAlert[] } }).data.alerts,
    query: async query => {
      const answer = await readJson(`${url}/api/v1/query?query=${encodeURIComponent(query)}`)
      const { data } = answer as { data: { result: readonly { value: readonly [number, string] }[] } }
      const [first] = data.result
      return first === undefined ? undefined : Number(first.value[1])
    },
  }
}
