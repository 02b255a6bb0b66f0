// Grafana's dashboard of Mintmark, made from the table of its panels; run as a program it writes it, to import in Grafana.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Panel, Row } from './panel.ts'
import { ROWS } from './panels.ts'

/** Grafana divides the width of a page into so many columns. */
const COLUMNS = 24
const NUMBER = { w: 4, h: 4 }
const GRAPH = { w: 8, h: 8 }

/** The reader chooses it, and the processes. */
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' }

const SOURCE_CHOICE = { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }

const PROCESS_CHOICE = {
  name: 'instance',
  label: 'Process',
  type: 'query',
  datasource: DATASOURCE,
  query: { query: 'label_values(up{job="mintmark"}, instance)', refId: 'instances' },
  includeAll: true,
  allValue: '.*',
  multi: true,
  refresh: 2,
  current: { text: 'All', value: '$__all' },
}

const targetsOf = ({ queries }: Panel) =>
  queries.map(([expr, legendFormat], n) => ({
    refId: String.fromCodePoint(65 + n),
    expr,
    legendFormat,
    datasource: DATASOURCE,
  }))

const numberOf = ({ unit }: Panel, { below, thresholds }: NonNullable<Panel['number']>) => {
  const steps = [{ color: below, value: null }, ...thresholds.map(([value, color]) => ({ color, value }))]
  return {
    type: 'stat',
    fieldConfig: { defaults: { unit, thresholds: { mode: 'absolute', steps } }, overrides: [] },
    options: { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'background', graphMode: 'none' },
  }
}

const graphOf = ({ unit }: Panel) => ({
  type: 'timeseries',
  fieldConfig: {
    defaults: { unit, min: 0, custom: { fillOpacity: 8, lineWidth: 1, showPoints: 'never' } },
    overrides: [],
  },
  options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
})

const drawPanel = (panel: Panel) => ({
  title: panel.title,
  description: panel.description ?? '',
  datasource: DATASOURCE,
  ...(panel.number === undefined ? graphOf(panel) : numberOf(panel, panel.number)),
  targets: targetsOf(panel),
})

/** The heading of a row and its panels from left to right, at `y`; and where the next row begins. */
const layRow = ({ title, panels }: Row, y: number) => {
  const heading = { type: 'row', title, collapsed: false, gridPos: { h: 1, w: COLUMNS, x: 0, y }, panels: [] }
  const { w, h } = panels.every(({ number }) => number !== undefined) ? NUMBER : GRAPH
  const across = COLUMNS / w
  const laid = panels.map((panel, n) => {
    const gridPos = { h, w, x: w * (n % across), y: y + 1 + h * Math.floor(n / across) }
    return { ...drawPanel(panel), gridPos }
  })
  return { laid: [heading, ...laid], next: y + 1 + h * Math.ceil(panels.length / across) }
}

const layRows = () => {
  const all = []
  let y = 0
  for (const row of ROWS) {
    const { laid, next } = layRow(row, y)
    all.push(...laid)
    y = next
  }
  return all.map((panel, n) => ({ id: n + 1, ...panel }))
}

export const makeDashboard = () => ({
  title: 'Mintmark',
  uid: 'mintmark',
  description: 'From the metrics of docs/reference/metrics.md. docs/run/runbook.md says what to do.',
  tags: ['mintmark'],
  schemaVersion: 39,
  version: 1,
  editable: true,
  time: { from: 'now-1h', to: 'now' },
  refresh: '30s',
  timezone: 'browser',
  templating: { list: [SOURCE_CHOICE, PROCESS_CHOICE] },
  panels: layRows(),
})

/** Writes it as the file that Grafana imports. */
export const writeDashboard = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(makeDashboard(), null, 2)}\n`)
}

if (import.meta.main) {
  const path = process.argv[2] ?? 'dist/grafana/mintmark.json'
  writeDashboard(path)
  process.stdout.write(`${path}\n`)
}
