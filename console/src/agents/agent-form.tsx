// Makes an agent, or changes the settings of one.
import { useQueryClient } from '@tanstack/react-query'
import { ACCESS } from '../../../api/values/access.ts'
import type { AgentRecord, CreateAgentBody } from '../../../packages/client/src/index.ts'
import { addressOf, go } from '../address.ts'
import { ActDialog } from '../acts/act-dialog.tsx'
import { ManagedNote } from '../acts/managed-note.tsx'
import { SecretOnce } from '../acts/secret-once.tsx'
import { EndedByRequest, TheAct } from '../acts/what-ended.tsx'
import { textIn } from '../parts/form-fields.tsx'
import { OPEN } from '../parts/panel.tsx'
import { administration, withRequestId } from '../reading/service.ts'
import { ChangeEnds, changeEnds } from './change-ends.tsx'
import { changeOf, type Field, FIELDS, optionsFor, SETTINGS, textOf } from './agent-fields.ts'

type Setting = (typeof SETTINGS)[number]

const FIRST: readonly Setting[] = ['name', 'scope', 'owner', 'tokens_per_minute']

const Input = ({ name, field, text }: { readonly name: string; readonly field: Field; readonly text: string }) => {
  const { kind, hint, isRequired } = field
  const shared = { name, defaultValue: text, placeholder: hint, required: isRequired, autoComplete: 'off' }
  if (kind === 'text' || kind === 'words' || kind === 'labels' || kind === 'pairs' || kind === 'json')
    return <textarea {...shared} rows={2} spellCheck={false} />
  if (typeof kind === 'object') {
    return (
      <select name={name} defaultValue={text === '' ? kind[0] : text}>
        {kind.map(choice => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    )
  }
  return <input {...shared} spellCheck={false} inputMode={kind === 'number' ? 'numeric' : undefined} />
}

const SettingField = ({ setting, agent }: { readonly setting: Setting; readonly agent: AgentRecord | undefined }) => {
  const field = FIELDS[setting]
  const text = agent === undefined ? '' : textOf(agent, setting)
  return field.kind === 'flag' ? (
    <label className="check">
      <input type="checkbox" name={setting} defaultChecked={text === 'on'} />
      {field.title}
    </label>
  ) : (
    <label>
      {field.title}
      <Input name={setting} field={field} text={text} />
    </label>
  )
}

const Fields = ({ agent }: { readonly agent?: AgentRecord }) => (
  <>
    {FIRST.map(setting => (
      <SettingField key={setting} setting={setting} agent={agent} />
    ))}
    <details>
      <summary>More settings</summary>
      <div className="fields">
        {SETTINGS.filter(setting => !FIRST.includes(setting)).map(setting => (
          <SettingField key={setting} setting={setting} agent={agent} />
        ))}
      </div>
    </details>
  </>
)

const [REFUSE] = FIELDS.at_live_tokens_max.kind
/** The first values of the form for a new agent. */
const NEW = { at_live_tokens_max: String(REFUSE) }

const valuesIn = (form: FormData) => Object.fromEntries(SETTINGS.map(setting => [setting, textIn(form, setting)]))

/** A form that was not touched yet changes nothing. */
const isUntouched = (form: FormData): boolean => form.get('name') === null

const changeIn = (form: FormData, before: Readonly<Record<string, string>>) =>
  isUntouched(form) ? {} : changeOf(valuesIn(form), before)

export const CreateAgent = () => (
  <ActDialog
    asks={ACCESS.writeAgents}
    look="primary"
    trigger="New agent"
    title="New agent"
    about="It gets its first secret, with which it asks for tokens."
    submit="Create it"
    fields={() => <Fields />}
    commandOf={form => {
      const body = { name: 'NAME', scope: 'SCOPE', ...changeIn(form, NEW) }
      return ['mintmark', 'agent', 'create', ...optionsFor(body)]
    }}
    act={form => administration.createAgent({ body: changeIn(form, NEW) as CreateAgentBody })} // the service parses it
    done={({ name, client_secret: secret }) => ({
      title: `${name} is made`,
      body: <SecretOnce secret={secret} />,
      isClosedByBody: true,
    })}
    onDone={({ agent_id: id }) => go(addressOf('agents', new URLSearchParams({ [OPEN]: id })))}
  />
)

export const ChangeAgent = ({ agent }: { readonly agent: AgentRecord }) => {
  const queryClient = useQueryClient()
  const { agent_id: id } = agent
  const before = Object.fromEntries(SETTINGS.map(setting => [setting, textOf(agent, setting)]))
  return (
    <ActDialog
      asks={ACCESS.writeAgents}
      trigger="Change"
      triggerLabel={`Change ${agent.name}`}
      title={`Change ${agent.name}`}
      about="Taking away scope, audiences or whom it acts for ends the tokens that have it, at once."
      submit="Change it"
      fields={form => (
        <>
          <ManagedNote by={agent.managed_by} />
          <Fields agent={agent} />
          <ChangeEnds id={id} change={changeIn(form, before)} />
        </>
      )}
      commandOf={form => ['mintmark', 'agent', 'change', id, ...optionsFor(changeIn(form, before))]}
      act={async form => {
        const change = changeIn(form, before)
        const counted = queryClient.getQueryData(changeEnds(id, change).queryKey)
        return { counted, ...(await withRequestId(by => by.changeAgent({ path: { id }, body: change }))) }
      }}
      done={({ made: { name }, requestId, counted }) => ({
        title: `${name} is changed`,
        body:
          counted === undefined || counted.reasons.length === 0 ? (
            <TheAct subject={id} />
          ) : (
            <EndedByRequest requestId={requestId} ends={counted.ends} agentId={id} reasons={counted.reasons} />
          ),
      })}
    />
  )
}
