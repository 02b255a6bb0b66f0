// The port of dry runs: each decides as its act does, on a snapshot, and counts what the act would end.
import type { ChangeObstacle, WantedChange } from '../../domain/clients/change-agent.ts'
import type { EndCount, Ending } from '../../domain/ledger/ends.ts'
import type { Refusal } from '../../domain/refusal.ts'
import type { DryRuns } from '../../ports/dry-runs.ts'
import type { CountEnds, Decide } from '../ledger/count-ends.ts'
import { endingsOfCompromise } from '../signing-keys/key-acts.ts'
import { readKey } from '../signing-keys/signing-keys.ts'
import type { Program } from '../statement-program.ts'
import { endingsOfDisabling, readAgentRow } from './agents.ts'
import { decidingBlock } from './blocked-subjects.ts'
import { decideChange, endingsOfDeletion } from './change-agent.ts'
import { endingsOfRevocation, readCredential } from './credentials.ts'
import { endingsOfIssuer, readIssuerRow } from './issuers.ts'

/** What acts on one thing, which may not be there. */
const deciding = <Row>(
  read: () => Program<Row | undefined>,
  endingsOf: (row: Row) => readonly Ending[],
): Decide<'unknown'> =>
  function* () {
    const row = yield* read()
    return row === undefined ? { refused: 'unknown' } : { endings: endingsOf(row) }
  }

const decidingChange = (wanted: WantedChange): Decide<{ readonly refusal: Refusal } | ChangeObstacle> =>
  function* (snapshot) {
    const decided = yield* decideChange(snapshot, wanted)
    return typeof decided === 'string' || 'refusal' in decided ? { refused: decided } : decided
  }

export const makeDryRuns = (countEnds: CountEnds): DryRuns => {
  const count = async <Refused>(decide: Decide<Refused>): Promise<EndCount | Refused> => {
    const found = await countEnds(decide)
    return 'refused' in found ? found.refused : found.count
  }
  return {
    changeAgent: wanted => count(decidingChange(wanted)),
    disableAgent: agentId => count(deciding(() => readAgentRow(agentId), endingsOfDisabling)),
    deleteAgent: agentId => count(deciding(() => readAgentRow(agentId), endingsOfDeletion)),
    revokeCredential: ({ agentId, id, ...revocation }) =>
      count(
        deciding(
          () => readCredential(agentId, id),
          row => endingsOfRevocation(row, revocation) ?? [],
        ),
      ),
    disableIssuer: alias =>
      count(
        deciding(
          () => readIssuerRow(alias),
          row => endingsOfIssuer(row, 'issuer_disabled'),
        ),
      ),
    deleteIssuer: alias =>
      count(
        deciding(
          () => readIssuerRow(alias),
          row => endingsOfIssuer(row, 'issuer_deleted'),
        ),
      ),
    blockSubject: subject => count(decidingBlock(subject)),
    compromiseKey: kid => count(deciding(() => readKey(kid), endingsOfCompromise)),
  }
}
