// Gives an agent another secret beside those that it has.
import { ACCESS } from '../../../api/values/access.ts'
import { ActDialog } from '../acts/act-dialog.tsx'
import { SecretOnce } from '../acts/secret-once.tsx'
import { ExpiryField, expiryIn, expiryOptions, textIn } from '../parts/form-fields.tsx'
import { administration } from '../reading/service.ts'

export const CreateCredential = ({ agentId }: { readonly agentId: string }) => (
  <ActDialog
    asks={ACCESS.writeAgents}
    trigger="New secret"
    title="New secret"
    about="It works beside the others. Keys, workloads and certificates in place of a secret are given by options of the same command."
    submit="Create it"
    fields={() => (
      <>
        <label>
          Name
          <input name="name" required maxLength={100} autoComplete="off" placeholder="to know it by" />
        </label>
        <ExpiryField />
      </>
    )}
    commandOf={form => {
      const name = textIn(form, 'name')
      return [
        'mintmark',
        'credential',
        'create',
        agentId,
        '--name',
        name === '' ? 'NAME' : name,
        ...expiryOptions(form),
      ]
    }}
    act={form =>
      administration.createCredential({
        path: { agent_id: agentId },
        body: { name: textIn(form, 'name'), ...expiryIn(form) },
      })
    }
    done={({ name, client_secret: secret = '' }) => ({
      title: `${name} is made`,
      body: <SecretOnce secret={secret} />,
      isClosedByBody: true,
    })}
  />
)
