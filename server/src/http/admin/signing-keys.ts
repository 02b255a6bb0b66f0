// What the operations on signing keys do.
import * as api from '../../../../api/signing-keys.ts'
import { keyChangeRecord, keyRecord } from '../../domain/keys/key-record.ts'
import {
  compromiseSigningKey,
  importSigningKey,
  retireSigningKey,
  rotateSigningKey,
} from '../../operations/signing-keys/change-signing-keys.ts'
import { listSigningKeys, showSigningKey } from '../../operations/signing-keys/read-signing-keys.ts'
import { formatEnds } from '../../domain/ledger/ends.ts'
import { bind, bindList } from './binding.ts'

export const bindings = [
  bindList(api.listSigningKeys, { filtersOf: () => null, list: listSigningKeys, format: keyRecord }),
  bind(api.showSigningKey, {
    run: (ports, { caller }, { path }) => showSigningKey(ports, caller, path.kid),
    answer: keyRecord,
  }),
  bind(api.rotateSigningKey, {
    run: (ports, origin, { body }) =>
      rotateSigningKey(ports, origin, { force: body.force ?? false, note: body.note ?? null }),
    // 202: it signs once it has been published long enough.
    status: ({ key }) => (key.state === 'next' ? 202 : 200),
    answer: keyChangeRecord,
  }),
  bind(api.importSigningKey, {
    run: (ports, origin, { body }) =>
      importSigningKey(ports, origin, {
        privateKey: body.private_key,
        kid: body.kid ?? null,
        note: body.note ?? null,
      }),
    location: ({ key }) => `/api/v1/keys/${encodeURIComponent(key.publicJwk.kid)}`,
    answer: keyChangeRecord,
  }),
  bind(api.retireSigningKey, {
    run: (ports, origin, { path, body }) =>
      retireSigningKey(ports, origin, path.kid, { force: body.force ?? false, note: body.note ?? null }),
    // 202: it signs until the key that follows it may.
    status: ({ key }) => (key.state === 'current' ? 202 : 200),
    answer: keyChangeRecord,
  }),
  bind(api.compromiseSigningKey, {
    run: (ports, origin, { path, body }) =>
      compromiseSigningKey(ports, origin, path.kid, { note: body.note ?? null, dryRun: body.dry_run ?? false }),
    answer: found => ('ends' in found ? formatEnds(found) : keyChangeRecord(found)),
  }),
]
