// What goes on right now: the agents with the runaway one first, what happened over time, what expires soon, who verifies, and
// whether the service is well.
import { OverTime } from '../charts/lazy-charts.tsx'
import { BusiestAgents } from '../overview/busiest-agents.tsx'
import { Expiring } from '../overview/expiring.tsx'
import { Health } from '../overview/health.tsx'
import { VerifiersState } from '../overview/verifiers-state.tsx'
import { Pause } from '../parts/pause.tsx'

export const Overview = () => (
  <>
    <div className="list-bar">
      <h1>Overview</h1>
      <Pause />
    </div>
    <section className="overview-part" aria-label="Agents by issuing rate">
      <h2>Agents by issuing rate</h2>
      <BusiestAgents />
    </section>
    <OverTime />
    <div className="overview-pair">
      <Expiring />
      <VerifiersState />
    </div>
    <Health />
  </>
)
