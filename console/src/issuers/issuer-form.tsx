// Trusts an issuer, or changes what may be changed of one: its form, and the command that does the same.
import { ACCESS } from '../../../api/values/access.ts'
import { SUBJECT_CLAIMS, TOKEN_TYPES } from '../../../api/values/issuers.ts'
import type { CreateIssuerBody, ShowIssuerAnswer } from '../../../packages/client/src/index.ts'
import { ActDialog } from '../acts/act-dialog.tsx'
import { TheAct } from '../acts/what-ended.tsx'
import { addressOf, go } from '../address.ts'
import { textIn } from '../parts/form-fields.tsx'
import { OPEN } from '../parts/panel.tsx'
import { pairsOf, wordsOf } from '../parts/typed-lines.ts'
import { administration } from '../reading/service.ts'

const typesIn = (form: FormData) => TOKEN_TYPES.filter(type => form.getAll('token_types').includes(type))

const requiredIn = (form: FormData) => pairsOf(textIn(form, 'require'))

/** A claim that stands there twice gets a value of two lines, which the service refuses: no JWT has both. */
const requiredOf = (form: FormData): Readonly<Record<string, string>> => {
  const byName = Map.groupBy(requiredIn(form), ([name]) => name)
  return Object.fromEntries([...byName].map(([name, lines]) => [name, lines.map(([, value]) => value).join('\n')]))
}

const FixedFields = () => (
  <>
    <label>
      Alias
      <input name="alias" required maxLength={32} pattern="[a-z0-9\-]+" autoComplete="off" placeholder="entra" />
    </label>
    <label>
      Issuer
      <input name="issuer" type="url" required spellCheck={false} placeholder="iss of its JWTs, as they have it" />
    </label>
    <label>
      Claim that names its subjects
      <select name="subject_claim">
        {SUBJECT_CLAIMS.map(claim => (
          <option key={claim}>{claim}</option>
        ))}
      </select>
    </label>
    <label>
      Claims that its JWTs must have
      <textarea name="require" rows={2} spellCheck={false} placeholder="tid=…, one a line" />
    </label>
  </>
)

const SettingFields = ({ issuer }: { readonly issuer?: ShowIssuerAnswer }) => (
  <>
    <fieldset>
      <legend>JWTs that are taken</legend>
      {TOKEN_TYPES.map((type, index) => (
        <label key={type} className="check">
          <input
            type="checkbox"
            name="token_types"
            value={type}
            defaultChecked={issuer?.token_types.includes(type) ?? index === 0}
          />
          <code>{type}</code>
        </label>
      ))}
    </fieldset>
    <label>
      Clients whose JWTs are taken
      <textarea
        name="parties"
        rows={2}
        spellCheck={false}
        defaultValue={issuer?.parties.join('\n')}
        placeholder="client ids; empty for any"
      />
    </label>
    <label>
      Scope at most
      <input name="scope" required spellCheck={false} defaultValue={issuer?.scope} placeholder="db:read docs:*" />
    </label>
    <label>
      Address of its keys
      <input
        name="jwks_uri"
        type="url"
        spellCheck={false}
        defaultValue={issuer?.jwks_uri ?? ''}
        placeholder="empty: as its metadata says"
      />
    </label>
  </>
)

const settingsIn = (form: FormData) => {
  const jwksUri = textIn(form, 'jwks_uri')
  return {
    token_types: typesIn(form),
    parties: wordsOf(textIn(form, 'parties')),
    scope: textIn(form, 'scope'),
    jwks_uri: jwksUri === '' ? null : jwksUri,
  }
}

type Settings = ReturnType<typeof settingsIn>

const optionsOf = ({ token_types: types = [], parties = [], scope, jwks_uri: jwksUri }: Partial<Settings>) => [
  ...types.flatMap(type => ['--type', type]),
  ...parties.flatMap(party => ['--party', party]),
  ...(scope === undefined ? [] : ['--scope', scope]),
  ...(typeof jwksUri === 'string' ? ['--jwks-uri', jwksUri] : []),
]

/** Before anything was typed a form says nothing. */
const isUntouched = (form: FormData): boolean => form.get('scope') === null

const newOptions = (form: FormData): readonly string[] => {
  const { scope, ...settings } = settingsIn(form)
  const types = isUntouched(form) ? TOKEN_TYPES.slice(0, 1) : settings.token_types
  return optionsOf({ ...settings, token_types: types, scope: scope === '' ? 'SCOPE' : scope })
}

/** What differs from the record: what somebody else changes meanwhile stays. */
const changeIn = (form: FormData, issuer: ShowIssuerAnswer): Partial<Settings> => {
  if (isUntouched(form)) return {}
  const { token_types, parties, scope, jwks_uri } = issuer
  const before: Readonly<Record<string, unknown>> = { token_types, parties, scope, jwks_uri }
  return Object.fromEntries(
    Object.entries(settingsIn(form)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  )
}

const createCommand = (form: FormData): readonly string[] => {
  const [alias, issuer, claim] = ['alias', 'issuer', 'subject_claim'].map(name => textIn(form, name))
  return [
    'mintmark',
    'issuer',
    'create',
    '--alias',
    alias === '' ? 'ALIAS' : String(alias),
    '--issuer',
    issuer === '' ? 'URL' : String(issuer),
    ...(claim === 'oid' ? ['--subject-claim', claim] : []),
    ...requiredIn(form).flatMap(([name, value]) => ['--require', `${name}=${value}`]),
    ...newOptions(form),
  ]
}

const bodyIn = (form: FormData): CreateIssuerBody => ({
  alias: textIn(form, 'alias'),
  issuer: textIn(form, 'issuer'),
  subject_claim: SUBJECT_CLAIMS.find(claim => claim === textIn(form, 'subject_claim')) ?? 'sub',
  require: requiredOf(form),
  ...settingsIn(form),
})

export const CreateIssuer = () => (
  <ActDialog
    asks={ACCESS.writeIssuers}
    look="primary"
    trigger="Trust an issuer"
    title="Trust an issuer"
    about="Agents that may act for it exchange its JWTs for tokens that act for its subjects. It gives nobody a role here. Alias, issuer, claim and required claims never change."
    submit="Trust it"
    fields={() => (
      <>
        <FixedFields />
        <SettingFields />
      </>
    )}
    commandOf={createCommand}
    act={form => administration.createIssuer({ body: bodyIn(form) })}
    done={({ alias }) => ({ title: `${alias} is trusted`, body: <TheAct subject={alias} /> })}
    onDone={({ alias }) => go(addressOf('issuers', new URLSearchParams({ [OPEN]: alias })))}
  />
)

const changeCommand = (alias: string, change: Partial<Settings>): readonly string[] => [
  'mintmark',
  'issuer',
  'change',
  alias,
  ...optionsOf(change),
  ...(change.parties?.length === 0 ? ['--no-party'] : []),
  ...(change.jwks_uri === null ? ['--no-jwks-uri'] : []),
]

export const ChangeIssuer = ({ issuer }: { readonly issuer: ShowIssuerAnswer }) => (
  <ActDialog
    asks={ACCESS.writeIssuers}
    trigger="Change"
    triggerLabel={`Change ${issuer.alias}`}
    title={`Change ${issuer.alias}`}
    about="The change decides on the next token. No token ends by it."
    submit="Change it"
    fields={() => <SettingFields issuer={issuer} />}
    commandOf={form => changeCommand(issuer.alias, changeIn(form, issuer))}
    act={form => administration.changeIssuer({ path: { alias: issuer.alias }, body: changeIn(form, issuer) })}
    done={({ alias }) => ({ title: `${alias} is changed`, body: <TheAct subject={alias} /> })}
  />
)
