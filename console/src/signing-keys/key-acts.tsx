// What an administrator may do with signing keys: let the next one sign, retire one, end one that leaked with its tokens.
import { ACCESS } from '../../../api/values/access.ts'
import type { ShowSigningKeyAnswer } from '../../../packages/client/src/index.ts'
import { ActDialog, type Done } from '../acts/act-dialog.tsx'
import { NoteField, noteIn, noteOptions } from '../acts/note-field.tsx'
import { TheAct, WhatEnded } from '../acts/what-ended.tsx'
import { administration } from '../reading/service.ts'
import { historyWithin } from '../acts/act-of-end.ts'

const PHRASE_CHARACTERS = 8

/** One that begins with a hyphen would be taken for an option. */
const kidWords = (kid: string): readonly string[] => (kid.startsWith('-') ? ['--', kid] : [kid])

/** Whether it is done at once, before verifiers know the key that follows. */
const forceIn = (form: FormData): { readonly force?: true } => (form.has('force') ? { force: true } : {})

const optionsOf = (form: FormData): readonly string[] => [
  ...(form.has('force') ? ['--force'] : []),
  ...noteOptions(form),
]

const Fields = () => (
  <>
    <label className="inline">
      <input type="checkbox" name="force" />
      At once, although verifiers that keep the key set may refuse new tokens for some minutes
    </label>
    <NoteField />
  </>
)

const doneWith = (title: string, kid: string, warning: string | null): Done => ({
  title,
  body: (
    <>
      {warning !== null && <p>{warning}</p>}
      <TheAct subject={kid} />
    </>
  ),
})

export const Rotate = () => (
  <ActDialog
    asks={ACCESS.writeKeys}
    trigger="Rotate"
    title="Let the next key sign?"
    about="It signs now where verifiers have it, else as soon as it was published long enough. Tokens of the key that signs now live on."
    submit="Let it sign"
    fields={() => <Fields />}
    commandOf={form => ['mintmark', 'key', 'rotate', ...optionsOf(form)]}
    act={form => administration.rotateSigningKey({ body: { ...forceIn(form), ...noteIn(form) } })}
    done={({ kid, warning }) => doneWith('The rotation is under way', kid, warning)}
  />
)

const Retire = ({ kid }: { readonly kid: string }) => (
  <ActDialog
    asks={ACCESS.writeKeys}
    trigger="Retire"
    title="Take this key out of signing?"
    about="The next key signs in its place. What it signed lives on until it expires."
    submit="Retire it"
    fields={() => <Fields />}
    commandOf={form => ['mintmark', 'key', 'retire', ...optionsOf(form), ...kidWords(kid)]}
    act={form => administration.retireSigningKey({ path: { kid }, body: { ...forceIn(form), ...noteIn(form) } })}
    done={({ warning }) => doneWith('The key signs no more', kid, warning)}
  />
)

const Compromise = ({ kid }: { readonly kid: string }) => (
  <ActDialog
    asks={ACCESS.writeKeys}
    look="danger"
    isDangerous
    trigger="Compromised"
    title="End this key and all its tokens?"
    about="If it leaked: it leaves the key set for ever, another key signs, and every token that it signed ends now. This cannot be undone."
    submit="End it and its tokens"
    typed={kid.slice(0, PHRASE_CHARACTERS)}
    fields={() => <NoteField />}
    count={async signal =>
      (await administration.compromiseSigningKey({ path: { kid }, body: { dry_run: true }, signal })).ends
    }
    commandOf={form => ['mintmark', 'key', 'compromise', ...noteOptions(form), ...kidWords(kid)]}
    act={form => administration.compromiseSigningKey({ path: { kid }, body: noteIn(form) })}
    done={({ warning, gone_at: since }, ends) => ({
      title: 'The key and its tokens have ended',
      body: (
        <>
          {since !== null && <WhatEnded since={since} ends={ends} history={historyWithin(since)} />}
          {warning !== null && <p>{warning}</p>}
        </>
      ),
    })}
  />
)

/** None for a key that is gone. */
export const KeyActs = ({ signingKey: { kid, state } }: { readonly signingKey: ShowSigningKeyAnswer }) => {
  if (state === 'gone' || state === 'compromised') return null
  return (
    <div className="acts">
      {state === 'current' && <Retire kid={kid} />}
      <Compromise kid={kid} />
    </div>
  )
}
