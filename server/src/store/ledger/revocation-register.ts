// The port of revocations.
import type { RevocationRegister } from '../../ports.ts'
import type { Labels } from './labels.ts'
import { previewRevocation } from './preview-revocation.ts'
import type { Reader } from '../sqlite/reader.ts'
import { showRevocation } from './revocations.ts'
import type { Writer } from '../sqlite/writer-client.ts'

export const makeRevocationRegister = (reader: Reader, labels: Labels, writer: Writer): RevocationRegister => ({
  create: (revocation, act) => writer.call('createRevocation', { revocation, act }),
  preview: conditions => previewRevocation(reader, labels, conditions),
  show: async id => reader.readUntimed(({ sql }) => showRevocation(sql, id)),
})
