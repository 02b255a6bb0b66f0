// What an import does, where its document is not read beside the threads that serve.
import * as api from '../../../../api/imports.ts'
import { formatOutcome } from '../../domain/import/import-outcome.ts'
import { isRefused } from '../../domain/refusal.ts'
import { importClients } from '../../operations/imports/import-clients.ts'
import { planImport } from '../imports/plan-import.ts'
import { bind } from './binding.ts'

export const bindings = [
  bind(api.importClients, {
    run: async (ports, origin, { body }) => {
      const planned = planImport(body)
      if (isRefused(planned)) return planned
      const imported = await importClients(ports, origin, planned)
      return isRefused(imported) ? imported : { ...imported, isTrial: planned.isTrial }
    },
    answer: ({ outcomes, isTrial }) => ({
      dry_run: isTrial,
      data: outcomes.map(outcome => formatOutcome(outcome, isTrial)),
    }),
  }),
]
