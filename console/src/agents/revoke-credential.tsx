// Refuses a credential from now on, because it is not needed any more or because others have it.
import { ACCESS } from '../../../api/values/access.ts'
import { CREDENTIAL_REASONS, type CredentialReason } from '../../../api/values/credentials.ts'
import type { ShowCredentialAnswer } from '../../../packages/client/src/index.ts'
import { ActDialog } from '../acts/act-dialog.tsx'
import { NoteField, noteIn, noteOptions } from '../acts/note-field.tsx'
import { WhatEnded } from '../acts/what-ended.tsx'
import { administration } from '../reading/service.ts'
import { historyWithin } from '../acts/act-of-end.ts'

const TITLES: Readonly<Record<CredentialReason, string>> = {
  credential_revoked: 'it is not needed any more',
  secret_leaked: 'it was exposed',
}

const reasonIn = (form: FormData): CredentialReason =>
  CREDENTIAL_REASONS.find(reason => reason === form.get('reason')) ?? CREDENTIAL_REASONS[0]

export const RevokeCredential = ({ credential }: { readonly credential: ShowCredentialAnswer }) => {
  const { agent_id, credential_id, name } = credential
  return (
    <ActDialog
      asks={ACCESS.stopAgents}
      isDangerous
      trigger="Revoke"
      triggerLabel={`Revoke ${name}`}
      title={`Revoke the credential “${name}”?`}
      about="It is refused from now on, and the tokens that were got with it end, with everything that was got for them."
      submit="Revoke it"
      fields={() => (
        <>
          <label>
            Because
            <select name="reason">
              {CREDENTIAL_REASONS.map(reason => (
                <option key={reason} value={reason}>
                  {TITLES[reason]}
                </option>
              ))}
            </select>
          </label>
          <NoteField />
        </>
      )}
      commandOf={form => {
        const reason = ['--reason', reasonIn(form)]
        return ['mintmark', 'credential', 'revoke', agent_id, credential_id, ...reason, ...noteOptions(form)]
      }}
      agentId={agent_id}
      count={async signal => {
        const path = { agent_id, credential_id }
        return (await administration.revokeCredential({ path, body: { dry_run: true }, signal })).ends
      }}
      act={form => {
        const body = { reason: reasonIn(form), ...noteIn(form) }
        return administration.revokeCredential({ path: { agent_id, credential_id }, body })
      }}
      done={({ revoked_at: since }, ends) => ({
        title: `The credential “${name}” is revoked`,
        body: since !== null && <WhatEnded since={since} ends={ends} history={historyWithin(since)} />,
      })}
    />
  )
}
