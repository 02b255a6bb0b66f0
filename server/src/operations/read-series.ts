// Shows what was issued, refused, introspected and ended over time, of all agents or of one.
import type { SeriesRequest, UsageSeries } from '../domain/clients/usage-series.ts'
import { type OrRefusal, refuse } from '../domain/refusal.ts'
import type { Ports } from '../ports/ports.ts'

export const readSeries = async (
  { usage }: Pick<Ports, 'usage'>,
  request: SeriesRequest,
): Promise<OrRefusal<UsageSeries>> =>
  (await usage.series(request)) ?? refuse('not_found', `No agent has the id ${request.agentId}.`)
