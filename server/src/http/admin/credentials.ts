// What the operations on credentials do.
import * as api from '../../../../api/credentials.ts'
import { trustsIn } from '../../../../api/credential-trust.ts'
import { expiryOf } from '../../../../api/fields.ts'
import { formatTimeOrNull } from '../../../../api/values/time.ts'
import { type CountedCredential, credentialRecord } from '../../domain/clients/credential.ts'
import {
  createCredential,
  listCredentials,
  revokeCredential,
  rotateCredential,
  showCredential,
} from '../../operations/credentials/credentials.ts'
import { formatEnds } from '../../domain/ledger/ends.ts'
import { bind, bindList, nameFiltersOf } from './binding.ts'

const locationOf = ({ credential: { agentId, id } }: { readonly credential: CountedCredential }): string =>
  `/api/v1/agents/${agentId}/credentials/${id}`

type Path = { readonly agent_id: string; readonly credential_id: string }

const idsOf = ({ agent_id: agentId, credential_id: credentialId }: Path) => ({ agentId, credentialId })

export const bindings = [
  bind(api.createCredential, {
    run: (ports, origin, { path, body }) =>
      createCredential(ports, origin, {
        agentId: path.agent_id,
        name: body.name,
        expiry: expiryOf(body.expires_at),
        trust: trustsIn(body)[0] ?? null,
      }),
    answer: ({ credential, clientSecret }) => ({
      ...credentialRecord(credential),
      ...(clientSecret !== null && { client_secret: clientSecret }),
    }),
    location: locationOf,
  }),
  bindList(api.listCredentials, {
    filtersOf: (query, path) => ({ agentId: path.agent_id, names: nameFiltersOf(query) }),
    list: listCredentials,
    format: credentialRecord,
  }),
  bind(api.showCredential, {
    run: (ports, { caller }, { path }) => showCredential(ports, caller, idsOf(path)),
    answer: credentialRecord,
  }),
  bind(api.rotateCredential, {
    run: (ports, origin, { path, body }) =>
      rotateCredential(ports, origin, {
        ...idsOf(path),
        graceSeconds: body.grace_seconds,
        expiry: expiryOf(body.expires_at),
      }),
    answer: ({ credential, clientSecret, replaced }) => ({
      ...credentialRecord(credential),
      client_secret: clientSecret,
      replaces: { credential_id: replaced.id, expires_at: formatTimeOrNull(replaced.expiresAt) },
    }),
    location: locationOf,
  }),
  bind(api.revokeCredential, {
    run: (ports, origin, { path, body: { reason, keep_tokens: keepTokens, note = null, dry_run: dryRun = false } }) =>
      revokeCredential(ports, origin, { ...idsOf(path), reason, keepTokens, note, dryRun }),
    answer: found => ('ends' in found ? formatEnds(found) : credentialRecord(found)),
  }),
]
