// The port of revocations.
import type { RevocationRegister } from '../../ports.ts'
import type { Writer } from '../jobs.ts'
import type { Reader } from '../snapshot.ts'
import type { Labels } from './labels.ts'
import { previewRevocation } from './preview-revocation.ts'
import { showRevocation } from './revocations.ts'

export const makeRevocationRegister = (reader: Reader, labels: Labels, { call }: Writer): RevocationRegister => ({
  create: (revocation, act) => call('createRevocation', { revocation, act }),
  preview: conditions => previewRevocation(reader, labels, conditions),
  show: id => reader.readUntimed(() => showRevocation(id)),
})
