// What a panel of the dashboard shows, and a row of them. dashboard.ts lays them out.

/** Beyond such a value a panel of one number has this color. */
type Threshold = readonly [from: number, color: 'green' | 'orange' | 'red']

export type Panel = {
  readonly title: string
  readonly description?: string
  /** Of Grafana. */
  readonly unit: 'bytes' | 'none' | 'ops' | 'percentunit' | 'reqps' | 's' | 'short'
  /** A query of Prometheus for each line, with the name of the line. */
  readonly queries: readonly (readonly [expression: string, legend: string])[]
  /** Shows the last number in the color of its threshold; without it the panel is a graph. `below` is the color beneath all of them. */
  readonly number?: { readonly below: 'green' | 'red'; readonly thresholds: readonly Threshold[] }
}

export type Row = { readonly title: string; readonly panels: readonly Panel[] }
