// What the operation on the state of the service does. It decides nothing: the store counts.
import * as api from '../../../../api/status.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { expiringRecord, statusRecord } from '../../domain/service-status.ts'
import { bind } from './binding.ts'

export const bindings = [
  bind(api.showStatus, {
    run: ({ usage }) => usage.status(),
    answer: status => ({ ...statusRecord(status), version: packageJson.version }),
  }),
  bind(api.listExpiring, {
    run: async ({ usage }) => ({ expiring: await usage.listExpiring() }),
    answer: ({ expiring }) => ({ data: expiring.map(expiringRecord) }),
  }),
]
