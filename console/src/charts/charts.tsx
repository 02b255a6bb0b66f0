// The charts over time, of all agents or of one.
import { useMemo } from 'react'
import { type SeriesWindow, SERIES_WINDOW_NAMES } from '../../../api/values/usage.ts'
import { changeQuery } from '../address.ts'
import { Command } from '../parts/command.tsx'
import { Fault } from '../parts/fault.tsx'
import { Chart } from './chart.tsx'
import { type ChartLines, endLines, introspectionLines, type Point, tokenLines } from './chart-lines.ts'
import { OVER, useSeries, useWindow } from './use-series.ts'
import '../look/charts.css'

const TITLES: Readonly<Record<SeriesWindow, string>> = { '1h': 'Last hour', '24h': 'Last day' }

const WindowChoice = ({ over }: { readonly over: SeriesWindow }) => (
  <div className="window-choice" role="group" aria-label="Time that the charts show">
    {SERIES_WINDOW_NAMES.map(name => (
      <button
        key={name}
        type="button"
        aria-pressed={name === over}
        onClick={() => changeQuery(OVER, name === '1h' ? null : name, 'replace')}
      >
        {TITLES[name]}
      </button>
    ))}
  </div>
)

const NO_POINTS: readonly Point[] = []

/** Caches the lines while nothing changes: to draw costs more than to compare. */
const useLines = (points: readonly Point[], isOfAgent: boolean): readonly ChartLines[] =>
  useMemo(
    () => [tokenLines(points), introspectionLines(points), ...(isOfAgent ? [] : [endLines(points)])],
    [points, isOfAgent],
  )

type ChartsProps = {
  readonly title: string
  /** Undefined for the sum of all agents. */
  readonly agentId?: string
}

export const Charts = ({ title, agentId }: ChartsProps) => {
  const over = useWindow()
  const { data, error, refetch } = useSeries(over, agentId)
  const points = data?.data ?? NO_POINTS
  const charts = useLines(points, agentId !== undefined)
  const ofAgent = agentId === undefined ? [] : ['--agent', agentId]
  return (
    <section className="over-time" aria-label={title}>
      <div className="list-bar">
        <h2>{title}</h2>
        <WindowChoice over={over} />
      </div>
      {error !== null && <Fault fault={error} onAgain={() => void refetch()} />}
      <div className="charts">
        {charts.map(chart => (
          <Chart key={chart.title} chart={chart} points={points} over={TITLES[over].toLowerCase()} />
        ))}
      </div>
      <Command words={['mintmark', 'stats', '--over', over, ...ofAgent]} />
    </section>
  )
}
