// Draws the lines of a chart as stacked bars, on a canvas.
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { type Line, stack, type Tone } from './chart-lines.ts'
import { formatAxis } from './point-time.ts'

type Drawing = {
  readonly place: HTMLElement
  readonly onPoint: (point: number | undefined) => void
}

export type DrawnChart = {
  /** `times` are in seconds since 1970, one for each value. */
  readonly show: (times: readonly number[], lines: readonly Line[]) => void
  /** Draws again in the current colors. */
  readonly redraw: () => void
  readonly resize: (width: number) => void
  readonly destroy: () => void
}

const HEIGHT_PIXELS = 132
const AXIS_PIXELS = 38
const BAR_PART = 0.7
const BAR_PIXELS_MAX = 24
const LINES_MAX = 4
/** The number of points of the shortest series. */
const POINTS_LEAST = 24

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** The colors that CSS makes of the roles: custom properties themselves say nothing of the theme. */
const makeColors = (place: HTMLElement) => {
  const probe = document.createElement('span')
  probe.hidden = true
  place.append(probe)
  return (role: Tone | 'line'): string => {
    probe.style.color = `var(--${role})`
    return getComputedStyle(probe).color
  }
}

const axisOf = (colorOf: ReturnType<typeof makeColors>): UPlot.Axis => ({
  stroke: () => colorOf('quiet'),
  font: '11px system-ui, sans-serif',
  grid: { stroke: () => colorOf('line'), width: 1 },
  ticks: { show: false },
})

/** Orders the series of a stack: the highest is drawn first and the others over it. */
const seriesOf = (toneOf: (n: number) => Tone, colorOf: ReturnType<typeof makeColors>): UPlot.Series[] =>
  Array.from({ length: LINES_MAX }, (_, n) => {
    const color = (): string => colorOf(toneOf(LINES_MAX - 1 - n))
    const { bars } = UPlot.paths
    return {
      stroke: color,
      fill: color,
      width: 0,
      points: { show: false },
      ...(bars !== undefined && { paths: bars({ size: [BAR_PART, BAR_PIXELS_MAX] }) }),
    }
  })

/** Widens the range by half a point at either end; there is always more than one point. */
const widen = (first: number, last: number): [number, number] => {
  const half = (last - first) / (2 * POINTS_LEAST)
  return [first - half, last + half]
}

const optionsOf = (
  { place, onPoint }: Drawing,
  toneOf: (n: number) => Tone,
  colorOf: ReturnType<typeof makeColors>,
): UPlot.Options => ({
  width: Math.max(1, place.clientWidth),
  height: HEIGHT_PIXELS,
  padding: [8, 16, 0, 0],
  legend: { show: false },
  cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
  scales: {
    // The first and the last bar stand in full.
    x: { range: (_plot, first, last) => widen(first, last) },
    y: { range: (_plot, _least, most) => [0, Math.max(4, most * 1.1)] },
  },
  axes: [
    { ...axisOf(colorOf), grid: { show: false }, size: 24, values: (_plot, times) => times.map(formatAxis) },
    {
      ...axisOf(colorOf),
      size: AXIS_PIXELS,
      incrs: [1, 2, 5]
        .flatMap(step => Array.from({ length: 10 }, (_, power) => step * 10 ** power))
        .toSorted((a, b) => a - b),
      values: (_plot, values) => values.map(value => compact.format(value)),
    },
  ],
  series: [{}, ...seriesOf(toneOf, colorOf)],
  hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? undefined)] },
})

export const drawChart = (drawing: Drawing): DrawnChart => {
  const { place } = drawing
  const colorOf = makeColors(place)
  let tones: readonly Tone[] = []
  const plot = new UPlot(
    optionsOf(drawing, n => tones[n] ?? 'quiet', colorOf),
    [[]],
    place,
  )
  return {
    show: (times, lines) => {
      tones = lines.map(({ tone }) => tone)
      const heights = stack(lines)
      // A place in the stack that no line has is where nothing is drawn.
      const rows = Array.from({ length: LINES_MAX }, (_, n) => [
        ...(heights[LINES_MAX - 1 - n] ?? times.map(() => null)),
      ])
      plot.setData([[...times], ...rows])
    },
    redraw: () => plot.redraw(false),
    resize: width => plot.setSize({ width: Math.max(1, width), height: HEIGHT_PIXELS }),
    destroy: () => {
      plot.destroy()
      place.replaceChildren()
    },
  }
}
