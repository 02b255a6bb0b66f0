// The charts, whose code comes once they are shown; their place is kept free until then.
import { lazy } from 'react'
import { Later } from '../parts/later.tsx'

const Charts = lazy(async () => ({ default: (await import('./charts.tsx')).Charts }))

export const OverTime = () => (
  <Later fallback={<div className="charts-place" />}>
    <Charts title="Over time" />
  </Later>
)

/** What one agent asked for over time, beside what else is known of it. */
export const AgentOverTime = ({ id }: { readonly id: string }) => (
  <Later fallback={<div className="charts-place" />}>
    <Charts title="Over time" agentId={id} />
  </Later>
)
