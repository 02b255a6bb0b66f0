// Refuses a credential from now on, because it is not needed any more or because others have it.
import { ACCESS } from '../../../api/values/access.ts'
import { CREDENTIAL_REASONS, type CredentialReason } from '../../../api/values/credentials.ts'
import type { ShowCredentialAnswer } from '../../../packages/client/src/index.ts'
import { ActDialog } from '../parts/act-dialog.tsx'
import { textIn } from '../parts/form-fields.tsx'
import { administration } from '../reading/service.ts'
import { NoteField, noteOptions } from '../tokens/note-field.tsx'

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
      title={`Revoke ${name}?`}
      about="It is refused from now on, and the tokens that were got with it end, with everything that was got for them."
      submit="Revoke it"
      keep="Keep it"
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
      act={form => {
        const note = textIn(form, 'note')
        const body = { reason: reasonIn(form), ...(note !== '' && { note }) }
        return administration.revokeCredential({ path: { agent_id, credential_id }, body })
      }}
    />
  )
}
