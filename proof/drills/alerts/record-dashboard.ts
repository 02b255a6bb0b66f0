// Draws docs/images/dashboard.svg: runs a service under load and floods for some minutes, asks Prometheus what the panels of
// deploy/grafana/panels.ts ask, and draws the answers. It is no picture of Grafana, which is in no registry that we use.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Panel } from '../../../deploy/grafana/panel.ts'
import { ROWS } from '../../../deploy/grafana/panels.ts'
import { postForm } from '../../../testkit/services/fetch-described.ts'
import { CANNOT_RUN, print } from '../drill.ts'
import { drawDashboard, type DrawnPanel, type Series } from './draw-dashboard.ts'
import { startPrometheus } from './prometheus.ts'
import { startWatched, type WatchedService } from './watched-service.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const TARGET = join(ROOT, 'docs', 'images', 'dashboard.svg')
const SECONDS = 180
const STEP_SECONDS = 2

type Matrix = {
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>
      readonly values: readonly (readonly [number, string])[]
    }[]
  }
}

const fillVariables = (query: string): string =>
  query.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '10s')

const nameOf = (legend: string, metric: Readonly<Record<string, string>>): string =>
  legend.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? '')

const readSeries = async (
  port: number,
  { queries }: Panel,
  [start, end]: readonly [number, number],
): Promise<readonly Series[]> => {
  const all: Series[] = []
  for (const [expression, legend] of queries) {
    const range = {
      query: fillVariables(expression),
      start: String(start),
      end: String(end),
      step: String(STEP_SECONDS),
    }
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query_range?${new URLSearchParams(range).toString()}`)
    const { data } = (await answer.json()) as Matrix
    for (const { metric, values } of data.result) {
      const points = values
        .map(([at, value]) => [at, Number(value)] as const)
        .filter(([, value]) => Number.isFinite(value))
      if (points.length > 0) all.push({ name: nameOf(legend, metric), points })
    }
  }
  return all
}

const drawn = async (port: number, panel: Panel, range: readonly [number, number]): Promise<DrawnPanel> => ({
  title: panel.title,
  kind: panel.number === undefined ? 'graph' : 'stat',
  unit: panel.unit,
  series: await readSeries(port, panel, range),
})

/** Removes panels without data, and rows without panels. */
const withData = (panels: readonly DrawnPanel[]): readonly DrawnPanel[] => {
  const filled = panels.filter(({ kind, series }) => kind === 'row' || series.length > 0)
  return filled.filter(
    ({ kind }, n) => kind !== 'row' || (filled[n + 1] !== undefined && filled[n + 1]?.kind !== 'row'),
  )
}

const tokenOf = async ({ url, agent: { client_id, client_secret } }: WatchedService): Promise<string> => {
  const response = await postForm(`${url}/oauth/token`, { grant_type: 'client_credentials', client_id, client_secret })
  return ((await response.json()) as { readonly access_token: string }).access_token
}

/** Agents that issue, resource servers that introspect, some revocations, and in the middle a minute of wrong secrets. */
const load = async (service: WatchedService): Promise<void> => {
  const { json, url, agent, busy, issue } = service
  const { api_key: key } = json(
    'api-key',
    'create',
    '--name',
    'rs',
    '--permission',
    'tokens:introspect',
    'tokens:read',
  ) as { api_key: string }
  const { client_id, client_secret } = agent
  let token = await tokenOf(service)
  busy(12, async () => {
    token = await tokenOf(service)
  })
  busy(24, async () => (await postForm(`${url}/oauth/introspect/v2`, { token }, { 'x-api-key': key })).arrayBuffer())
  busy(1, async () =>
    (await postForm(`${url}/oauth/revoke`, { token: await tokenOf(service), client_id, client_secret })).arrayBuffer(),
  )
  busy(1, async () => (await fetch(`${url}/api/v1/tokens?limit=50`, { headers: { 'x-api-key': key } })).arrayBuffer())
  json('backup', 'backup.db')
  await delay((SECONDS * 1000) / 3)
  const until = performance.now() + (SECONDS * 1000) / 3
  busy(24, () => (performance.now() < until ? issue({ client_secret: 'wrong' }) : delay(1000)))
}

const record = async (): Promise<void> => {
  await using ending = new AsyncDisposableStack()
  const stopping = new AbortController()
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-dashboard-'))
  ending.defer(() => rmSync(folder, { recursive: true, force: true }))
  const prometheus = await startPrometheus(folder, 'groups: []\n', ending)
  if (prometheus === undefined) {
    print('This machine has no prometheus.')
    process.exitCode = CANNOT_RUN
    return
  }
  const scope = { after: (work: () => unknown) => ending.defer(async () => void (await work())) }
  const service = await startWatched({ scope, signal: stopping.signal })
  ending.defer(() => stopping.abort())
  prometheus.watch({ name: 'one', port: service.metricsPort })
  const start = Date.now() / 1000 + 4
  const loading = load(service)
  await delay(SECONDS * 1000)
  await loading
  const range = [start, Date.now() / 1000] as const
  const all = ROWS.flatMap(({ title, panels }) => [
    Promise.resolve<DrawnPanel>({ title, kind: 'row', unit: 'none', series: [] }),
    ...panels.map(panel => drawn(prometheus.port, panel, range)),
  ])
  mkdirSync(join(ROOT, 'docs', 'images'), { recursive: true })
  writeFileSync(
    TARGET,
    drawDashboard(
      `Mintmark: two serving threads, the embedded store, ${SECONDS} s under load`,
      withData(await Promise.all(all)),
    ),
  )
  print(TARGET)
}

await record()
