// What became of a client of another server.
import type { Agent } from '../clients/agent.ts'
import type { ImportPlan } from './import-plan.ts'
import type { ImportReason } from './import-reason.ts'

/** `kept`: it is taken from now on. `converted_at_first_use`: its hash is. `new`: the document did not hold it. */
export type ImportedSecret = 'kept' | 'converted_at_first_use' | 'new'

export type ClientOutcome = { readonly clientId: string } & (
  | {
      readonly outcome: 'imported'
      readonly agent: Agent
      readonly secret: ImportedSecret
      /** Of a new one, which is shown this once; null in a trial. */
      readonly clientSecret: string | null
      readonly plan: ImportPlan
    }
  | { readonly outcome: 'exists' }
  | { readonly outcome: 'skipped' | 'refused'; readonly reason: ImportReason }
)
