// Draws panels of the dashboard from what Prometheus answered: lines, numbers and their legends, as one SVG.

export type Series = { readonly name: string; readonly points: readonly (readonly [at: number, value: number])[] }

export type DrawnPanel = {
  readonly title: string
  readonly kind: 'row' | 'stat' | 'graph'
  readonly unit: string
  readonly series: readonly Series[]
}

type Place = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

const WIDTH = 1440
const GAP = 8
const COLORS = ['#73bf69', '#f2cc0c', '#5794f2', '#ff780a', '#b877d9', '#f2495c', '#8ab8ff', '#96d98d', '#ffb357']
const NAMES_SHOWN = 7
const SIZES = {
  row: { columns: 1, height: 30 },
  stat: { columns: 6, height: 84 },
  graph: { columns: 3, height: 218 },
} as const

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const rounded = (value: number): string => String(Number(value.toPrecision(3)))

const inSteps = (value: number, step: number, names: readonly string[]): string => {
  const power = value < step ? 0 : Math.min(names.length - 1, Math.floor(Math.log(value) / Math.log(step)))
  return `${rounded(value / step ** power)}${names[power] ?? ''}`
}

const SECONDS = [
  [86_400, ' d'],
  [3600, ' h'],
  [60, ' min'],
  [1, ' s'],
  [0.001, ' ms'],
] as const

const inSeconds = (value: number): string => {
  const [size, name] = SECONDS.find(([least]) => value >= least) ?? [0.000_001, ' µs']
  return value === 0 ? '0' : `${rounded(value / size)}${name}`
}

const formatValue = (value: number, unit: string): string => {
  if (unit === 's') return inSeconds(value)
  if (unit === 'percentunit') return `${rounded(100 * value)} %`
  if (unit === 'bytes') return inSteps(value, 1024, [' B', ' KiB', ' MiB', ' GiB'])
  return `${inSteps(value, 1000, ['', ' k', ' M'])}${unit === 'reqps' ? '/s' : ''}`
}

const text = (x: number, y: number, words: string, style: string): string =>
  `<text x="${x.toFixed(0)}" y="${y.toFixed(0)}" ${style}>${escape(words)}</text>`

const box = ({ x, y, width, height }: Place): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="3" fill="#181b1f" stroke="#2c3235"/>`

const lastOf = ({ points }: Series): number => points.at(-1)?.[1] ?? 0

const drawStat = ({ title, unit, series: [first] }: DrawnPanel, place: Place): string => {
  const value = first === undefined ? '–' : formatValue(lastOf(first), unit)
  const middle = place.x + place.width / 2
  return [
    box(place),
    text(place.x + 10, place.y + 20, title, 'fill="#ccccdc" font-size="13"'),
    text(middle, place.y + 62, value, 'fill="#73bf69" font-size="30" text-anchor="middle"'),
  ].join('')
}

const drawLegend = ({ series, unit }: DrawnPanel, { x, y, width, height }: Place): string => {
  let at = x + 10
  let line = y + height - 24
  return series
    .slice(0, NAMES_SHOWN)
    .map((one, n) => {
      const words = `${one.name} ${formatValue(lastOf(one), unit)}`
      const wide = 18 + words.length * 6
      if (at + wide > x + width && line < y + height - 10) [at, line] = [x + 10, y + height - 9]
      if (at + wide > x + width) return ''
      const drawn = `<rect x="${at}" y="${line - 4}" width="10" height="3" fill="${COLORS[n % COLORS.length]}"/>${text(at + 14, line, words, 'fill="#ccccdc" font-size="11"')}`
      at += wide
      return drawn
    })
    .join('')
}

/** The next of 1, 2, 5, 10, … that is at least as large. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value))
  return power * ([1, 2, 5].find(step => step * power >= value) ?? 10)
}

const drawGraph = (panel: DrawnPanel, place: Place): string => {
  const { title, unit, series } = panel
  const [left, right] = [place.x + 62, place.x + place.width - 12]
  const [top, bottom] = [place.y + 34, place.y + place.height - 46]
  const points = series.flatMap(one => one.points)
  const most = roundUp(Math.max(0, ...points.map(([, value]) => value)) || 1)
  const times = points.map(([at]) => at)
  const [from, to] = [Math.min(...times), Math.max(...times)]
  const xOf = (at: number): number => left + ((right - left) * (at - from)) / Math.max(1, to - from)
  const yOf = (value: number): number => bottom - ((bottom - top) * value) / most
  const scale = [0, 0.5, 1].map(part => {
    const y = yOf(part * most).toFixed(0)
    const line = `<path d="M${left} ${y}H${right}" stroke="#2c3235"/>`
    return (
      line +
      text(left - 6, Number(y) + 4, formatValue(part * most, unit), 'fill="#8e8e9e" font-size="11" text-anchor="end"')
    )
  })
  const lines = series.map((one, n) => {
    const path = one.points
      .map(([at, value], k) => `${k === 0 ? 'M' : 'L'}${xOf(at).toFixed(0)} ${yOf(value).toFixed(1)}`)
      .join('')
    return `<path d="${path}" fill="none" stroke="${COLORS[n % COLORS.length]}" stroke-width="1.3"/>`
  })
  const head = text(place.x + 10, place.y + 20, title, 'fill="#ccccdc" font-size="13"')
  return [box(place), head, ...scale, ...lines, drawLegend(panel, place)].join('')
}

const drawRow = ({ title }: DrawnPanel, { x, y }: Place): string =>
  text(x + 4, y + 20, title, 'fill="#ccccdc" font-size="16" font-weight="600"')

const DRAWERS = { row: drawRow, stat: drawStat, graph: drawGraph } as const

export const drawDashboard = (title: string, panels: readonly DrawnPanel[]): string => {
  let [y, column] = [48, 0]
  let before: DrawnPanel['kind'] = 'row'
  const drawn = panels.map(panel => {
    const { columns, height } = SIZES[panel.kind]
    if (column > 0 && (panel.kind !== before || column === columns)) {
      y += SIZES[before].height + GAP
      column = 0
    }
    before = panel.kind
    const width = (WIDTH - GAP) / columns - GAP
    const place = { x: GAP + column * (width + GAP), y, width, height }
    column += 1
    return DRAWERS[panel.kind](panel, place)
  })
  const height = y + SIZES[before].height + GAP
  const font = 'font-family="Inter, Helvetica, Arial, sans-serif"'
  const back = `<rect width="${WIDTH}" height="${height}" fill="#111217"/>`
  const head = text(GAP + 4, 32, title, 'fill="#ccccdc" font-size="20" font-weight="600"')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" ${font}>${back}${head}${drawn.join('\n')}</svg>\n`
}
