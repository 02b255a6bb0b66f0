// The charts, whose code comes once they are shown; their place is kept free until then.
import { lazy, Suspense } from 'react'

const Charts = lazy(async () => ({ default: (await import('./charts.tsx')).Charts }))

export const OverTime = () => (
  <Suspense fallback={<div className="charts-place" />}>
    <Charts title="Over time" />
  </Suspense>
)

/** What one agent asked for over time, beside what else is known of it. */
export const AgentOverTime = ({ id }: { readonly id: string }) => (
  <Suspense fallback={<div className="charts-place" />}>
    <Charts title="Over time" agentId={id} />
  </Suspense>
)
