// The port of revocations.
import type { RevocationRepository } from '../../ports/ports.ts'
import type { Writer } from '../jobs.ts'
import type { Reader } from '../snapshot.ts'
import type { Labels } from './name-caches.ts'
import { previewRevocation } from './preview-revocation.ts'
import { showRevocation } from './revocations.ts'

export const makeRevocationRegister = (reader: Reader, labels: Labels, { call }: Writer): RevocationRepository => ({
  create: (revocation, act) => call('createRevocation', { revocation, act }),
  preview: conditions => previewRevocation(reader, labels, conditions),
  show: id => reader.readUntimed(() => showRevocation(id)),
})
