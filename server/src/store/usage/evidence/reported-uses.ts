// Counts what followers of the revocation feed say that they used. Each says how much since its start, so that the store keeps
// beside a verifier how much of that was counted.
import { usesSince } from '../../../domain/clients/token-use.ts'
import type { AgentUses } from '../../../domain/clients/verifier.ts'
import { first, run, type Program } from '../../statement-program.ts'
import type { Ages, Whose } from './count-late-uses.ts'

export type PairUse = Ages &
  Whose &
  Readonly<Record<'active' | 'inactive' | 'afterEnd', number>> & { readonly uses?: number }

export type Report = { readonly apiKeyId: string; readonly name: string; readonly uses: readonly AgentUses[] }

const COUNTED = 'select counted_uses as counted from verifier where api_key = ? and name = ?'
const NOTE = 'update verifier set counted_uses = ? where api_key = ? and name = ?'

/** The statements above, for the test that reads their plans. */
export const REPORTED_STATEMENTS: readonly string[] = [COUNTED, NOTE]

const placeOf = ({ apiKeyId, name }: Report): string => apiKeyId + name

/**
 * What was used since the reports before. The first report of a verifier is where counting begins: one that was forgotten, and is
 * back, would bring the uses of weeks in one minute. Runs where no other process counts in the same minute.
 */
export function* countReported(reports: readonly Report[]): Program<readonly PairUse[]> {
  const added: PairUse[] = []
  // In one order: what writes the positions of verifiers takes their rows in the same.
  for (const report of reports.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))) {
    const { apiKeyId, name, uses } = report
    const row = yield* first<{ counted: string | null }>(COUNTED, apiKeyId, name)
    if (row === undefined) continue
    const before = row.counted === null ? uses : (JSON.parse(row.counted) as readonly AgentUses[]) // written below
    const since = usesSince(before, uses)
    const counted = JSON.stringify(since.counted)
    if (counted === row.counted) continue
    yield* run(NOTE, counted, apiKeyId, name)
    for (const { agent_id: agentId, count } of since.added) {
      const nothing = { active: 0, inactive: 0, afterEnd: 0, firstAgoMs: 0, lastAgoMs: 0 }
      added.push({ apiKeyId, agentId, isOutside: false, ...nothing, uses: count })
    }
  }
  return added
}
