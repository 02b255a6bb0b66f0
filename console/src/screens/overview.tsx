// What goes on right now: whether the service is well, who verifies, what expires soon; then the agents with the runaway one
// first, what was refused and why, and what happened over time.
import { OverTime } from '../charts/lazy-charts.tsx'
import { BusiestAgents } from '../overview/busiest-agents.tsx'
import { Expiring } from '../overview/expiring.tsx'
import { Health } from '../overview/health.tsx'
import { Refused } from '../overview/refused.tsx'
import { VerifiersState } from '../overview/verifiers-state.tsx'
import { Pause } from '../parts/pause.tsx'

export const Overview = () => (
  <>
    <div className="list-bar">
      <h1>Overview</h1>
      <Pause />
    </div>
    <Health />
    <div className="overview-pair">
      <VerifiersState />
      <Expiring />
    </div>
    <section className="overview-part" aria-label="Busiest agents">
      <h2>Busiest agents</h2>
      <BusiestAgents />
    </section>
    <Refused />
    <OverTime />
  </>
)
