// Gives a credential a successor, and the old one a chosen end. The new secret is shown this once.
import { ACCESS } from '../../../api/values/access.ts'
import type { ShowCredentialAnswer } from '../../../packages/client/src/index.ts'
import { ActDialog } from '../acts/act-dialog.tsx'
import { SecretOnce } from '../acts/secret-once.tsx'
import { GraceField, graceIn } from '../parts/form-fields.tsx'
import { administration } from '../reading/service.ts'

export const RotateCredential = ({ credential }: { readonly credential: ShowCredentialAnswer }) => {
  const { agent_id, credential_id, name } = credential
  return (
    <ActDialog
      asks={ACCESS.writeAgents}
      trigger="Roll"
      triggerLabel={`Roll ${name}`}
      title={`Roll the credential “${name}”`}
      about="A new secret takes its place. Until the old one ends, both work."
      submit="Roll it"
      fields={() => <GraceField />}
      commandOf={form => {
        const grace = `${graceIn(form)}s`
        return ['mintmark', 'credential', 'rotate', agent_id, credential_id, '--grace', grace]
      }}
      act={form =>
        administration.rotateCredential({
          path: { agent_id, credential_id },
          body: { grace_seconds: graceIn(form) },
        })
      }
      done={({ client_secret: secret }) => ({
        title: `The credential “${name}” has a successor`,
        body: <SecretOnce secret={secret} />,
        isClosedByBody: true,
      })}
    />
  )
}
