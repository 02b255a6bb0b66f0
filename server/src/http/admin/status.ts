// What the operation on the state of the service does.
import * as api from '../../../../api/status.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { statusRecord } from '../../domain/service-status.ts'
import { showStatus } from '../../operations/read-usage.ts'
import { bind } from './binding.ts'

export const bindings = [
  bind(api.showStatus, {
    run: (ports, { caller }) => showStatus(ports, caller),
    answer: status => ({ ...statusRecord(status), version: packageJson.version }),
  }),
]
