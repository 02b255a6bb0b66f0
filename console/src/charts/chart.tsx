// One chart: its title, what the pointed point or the whole window has, the drawing, and a table of the same figures.
import { useEffect, useRef, useState } from 'react'
import { useTheme } from '../parts/theme.ts'
import { type ChartLines, formatValue, type Line, type Point } from './chart-lines.ts'
import { ChartTable } from './chart-table.tsx'
import { drawChart, type DrawnChart } from './draw-chart.ts'
import { formatBoth } from './point-time.ts'

const DARK = '(prefers-color-scheme: dark)'

type PlotProps = {
  readonly points: readonly Point[]
  readonly lines: readonly Line[]
  readonly label: string
  readonly onPoint: (point: number | undefined) => void
}

const Plot = ({ points, lines, label, onPoint }: PlotProps) => {
  const place = useRef<HTMLDivElement>(null)
  const drawn = useRef<DrawnChart>(undefined)
  const theme = useTheme()
  useEffect(() => {
    const { current } = place
    if (current === null) return undefined
    const chart = drawChart({ place: current, onPoint })
    drawn.current = chart
    const sizes = new ResizeObserver(() => chart.resize(current.clientWidth))
    sizes.observe(current)
    const dark = window.matchMedia(DARK)
    dark.addEventListener('change', chart.redraw)
    return () => {
      sizes.disconnect()
      dark.removeEventListener('change', chart.redraw)
      chart.destroy()
    }
  }, [onPoint])
  useEffect(() => {
    drawn.current?.show(
      points.map(({ from }) => Date.parse(from) / 1000),
      lines,
    )
  }, [points, lines])
  useEffect(() => drawn.current?.redraw(), [theme])
  return <div className="plot" ref={place} role="img" aria-label={label} />
}

const Values = ({ lines, point }: { readonly lines: readonly Line[]; readonly point: number | undefined }) => (
  <ul className="chart-values">
    {lines.map(line => (
      <li key={line.title}>
        <span className={`swatch ${line.tone}`} />
        {line.title} <b>{formatValue(line, point)}</b>
      </li>
    ))}
  </ul>
)

type ChartProps = {
  readonly chart: ChartLines
  readonly points: readonly Point[]
  /** The time that the chart covers, such as `the last hour`. */
  readonly over: string
}

export const Chart = ({ chart: { title, lines }, points, over }: ChartProps) => {
  const [pointed, setPointed] = useState<number>()
  const at = pointed === undefined ? undefined : points[pointed]
  const point = at === undefined ? undefined : pointed
  const when = at === undefined ? over : `${formatBoth(at.from)}${pointed === points.length - 1 ? ', so far' : ''}`
  const summary = lines.map(line => `${line.title.toLowerCase()} ${formatValue(line, undefined)}`).join(', ')
  return (
    <section className="chart">
      <h3>
        {title} <span className="quiet">{when}</span>
      </h3>
      <Values lines={lines} point={point} />
      <Plot points={points} lines={lines} label={`${title}, ${over}: ${summary}`} onPoint={setPointed} />
      <ChartTable title={title} lines={lines} points={points} />
    </section>
  )
}
