// The figures of a chart as a table, newest first: for who cannot see the chart, and for who wants to copy them.
import { useState } from 'react'
import { formatValue, type Line, type Point } from './chart-lines.ts'
import { formatLocal, formatUtc, zoneAt } from './point-time.ts'

type ChartTableProps = {
  readonly title: string
  readonly lines: readonly Line[]
  readonly points: readonly Point[]
}

const Figures = ({ title, lines, points }: ChartTableProps) => {
  const newest = points.at(-1)?.from
  const isUtc = newest === undefined || formatLocal(newest) === formatUtc(newest)
  return (
    <section className="records" aria-label={`Figures of ${title}`} tabIndex={0}>
      <table aria-label={title}>
        <thead>
          <tr>
            {!isUtc && <th scope="col">From ({zoneAt(newest)})</th>}
            <th scope="col">{isUtc ? 'From (UTC)' : 'UTC'}</th>
            {lines.map(line => (
              <th key={line.title} scope="col" className="number">
                {line.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points
            .map(({ from }, n) => (
              <tr key={from}>
                {!isUtc && <td>{formatLocal(from)}</td>}
                <th scope="row">
                  <time dateTime={from}>{formatUtc(from)}</time>
                </th>
                {lines.map(line => (
                  <td key={line.title} className="number">
                    {formatValue(line, n)}
                  </td>
                ))}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </section>
  )
}

export const ChartTable = (props: ChartTableProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="chart-table" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>Figures</summary>
      {isOpen && <Figures {...props} />}
    </details>
  )
}
