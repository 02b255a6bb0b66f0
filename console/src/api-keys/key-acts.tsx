// Makes, rolls and revokes API keys. The permissions of a key do not change: a key with others takes its place.
import { ACCESS, PERMISSIONS } from '../../../api/values/access.ts'
import type { ShowApiKeyAnswer } from '../../../packages/client/src/index.ts'
import { addressOf, go } from '../address.ts'
import { ActDialog } from '../acts/act-dialog.tsx'
import { NoteField, noteIn, noteOptions } from '../acts/note-field.tsx'
import { SecretOnce } from '../acts/secret-once.tsx'
import { TheAct } from '../acts/what-ended.tsx'
import { ExpiryField, expiryIn, expiryOptions, GraceField, graceIn, textIn } from '../parts/form-fields.tsx'
import { Instant } from '../parts/instant.tsx'
import { OPEN } from '../parts/panel.tsx'
import { wordsOf } from '../parts/typed-lines.ts'
import { administration } from '../reading/service.ts'

const openKey = (id: string): void => go(addressOf('api-keys', new URLSearchParams({ [OPEN]: id })))

const permissionsIn = (form: FormData) =>
  PERMISSIONS.filter(permission => form.getAll('permissions').includes(permission))

const audiencesIn = (form: FormData): readonly string[] => wordsOf(textIn(form, 'audiences'))

const KeyFields = () => (
  <>
    <label>
      Name
      <input name="name" required maxLength={100} autoComplete="off" placeholder="of the resource server or tool" />
    </label>
    <fieldset>
      <legend>It may</legend>
      {PERMISSIONS.map((permission, index) => (
        <label key={permission} className="check">
          <input type="checkbox" name="permissions" value={permission} defaultChecked={index === 0} />
          <code>{permission}</code>
        </label>
      ))}
    </fieldset>
    <label>
      Only for tokens of these audiences
      <textarea name="audiences" rows={2} spellCheck={false} placeholder="URIs; empty for all" />
    </label>
    <ExpiryField />
  </>
)

const createCommand = (form: FormData): readonly string[] => {
  const [name, permissions] = [textIn(form, 'name'), permissionsIn(form)]
  // Before anything was typed the form says nothing.
  const asked = form.get('name') === null ? PERMISSIONS.slice(0, 1) : permissions
  return [
    'mintmark',
    'api-key',
    'create',
    '--name',
    name === '' ? 'NAME' : name,
    ...asked.flatMap(permission => ['--permission', permission]),
    ...audiencesIn(form).flatMap(audience => ['--audience', audience]),
    ...expiryOptions(form),
  ]
}

export const CreateApiKey = () => (
  <ActDialog
    asks={ACCESS.writeKeys}
    look="primary"
    trigger="New API key"
    title="New API key"
    about="With it a resource server asks about tokens, or a tool administers the service."
    submit="Create it"
    fields={() => <KeyFields />}
    commandOf={createCommand}
    act={form => {
      const audiences = audiencesIn(form)
      const body = { name: textIn(form, 'name'), permissions: permissionsIn(form), ...expiryIn(form) }
      return administration.createApiKey({ body: { ...body, ...(audiences.length > 0 && { audiences }) } })
    }}
    done={({ name, api_key: secret }) => ({
      title: `${name} is made`,
      body: <SecretOnce secret={secret} />,
      isClosedByBody: true,
    })}
    onDone={({ api_key_id: id }) => openKey(id)}
  />
)

export const RotateApiKey = ({ apiKey: { api_key_id: id, name } }: { readonly apiKey: ShowApiKeyAnswer }) => (
  <ActDialog
    asks={ACCESS.writeKeys}
    trigger="Roll"
    title={`Roll the API key “${name}”`}
    about="A new key of the same powers takes its place. Until the old one ends, both work."
    submit="Roll it"
    fields={() => <GraceField />}
    commandOf={form => ['mintmark', 'api-key', 'rotate', id, '--grace', `${graceIn(form)}s`]}
    act={form => administration.rotateApiKey({ path: { api_key_id: id }, body: { grace_seconds: graceIn(form) } })}
    done={({ api_key: secret }) => ({
      title: `The API key “${name}” has a successor`,
      body: <SecretOnce secret={secret} />,
      isClosedByBody: true,
    })}
  />
)

export const RevokeApiKey = ({ apiKey: { api_key_id: id, name } }: { readonly apiKey: ShowApiKeyAnswer }) => (
  <ActDialog
    asks={ACCESS.writeKeys}
    isDangerous
    trigger="Revoke"
    title={`Revoke the API key “${name}”?`}
    about="Callers that use it are refused at once. It does not come back."
    submit="Revoke it"
    fields={() => <NoteField />}
    commandOf={form => ['mintmark', 'api-key', 'revoke', id, ...noteOptions(form)]}
    act={form => administration.revokeApiKey({ path: { api_key_id: id }, body: noteIn(form) })}
    done={({ revoked_at: since }) => ({
      title: `The API key “${name}” is revoked`,
      body: since !== null && (
        <>
          <p>
            Callers that use it are refused since <Instant at={since} />.
          </p>
          <TheAct subject={id} />
        </>
      ),
    })}
  />
)
