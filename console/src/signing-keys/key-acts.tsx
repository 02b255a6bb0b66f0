// What an administrator may do with signing keys: let the next one sign, retire one, end one that leaked with its tokens.
import { useQuery } from '@tanstack/react-query'
import type { ShowSigningKeyAnswer } from '../../../packages/client/src/index.ts'
import { administration } from '../reading/service.ts'
import { ChangeKey } from './change-key.tsx'

const PHRASE_CHARACTERS = 8

/** One that begins with a hyphen would be taken for an option. */
const kidWords = (kid: string): readonly string[] => (kid.startsWith('-') ? ['--', kid] : [kid])

export const Rotate = () => (
  <ChangeKey
    verb="Rotate"
    confirm="Let it sign"
    title="Let the next key sign?"
    consequence="It signs now where verifiers have it, else as soon as it was published long enough. Tokens of the key that signs now live on."
    canForce
    words={['mintmark', 'key', 'rotate']}
    run={asked => administration.rotateSigningKey({ body: asked })}
  />
)

const Retire = ({ kid }: { readonly kid: string }) => (
  <ChangeKey
    verb="Retire"
    confirm="Retire it"
    title="Take this key out of signing?"
    consequence="The next key signs in its place. What it signed lives on until it expires."
    canForce
    words={['mintmark', 'key', 'retire', ...kidWords(kid)]}
    run={asked => administration.retireSigningKey({ path: { kid }, body: asked })}
  />
)

const Tokens = ({ kid }: { readonly kid: string }) => {
  const { data } = useQuery({
    queryKey: ['tokens-of-key', kid],
    queryFn: ({ signal }) => administration.compromiseSigningKey({ path: { kid }, body: { dry_run: true }, signal }),
    gcTime: 0,
  })
  if (data === undefined) return 'every token that it signed'
  const { tokens, exact } = data.ends
  return `${exact ? '' : 'at least '}${tokens} live ${tokens === 1 ? 'token' : 'tokens'} that it signed`
}

const Compromise = ({ kid }: { readonly kid: string }) => (
  <ChangeKey
    verb="It leaked"
    confirm="End it and its tokens"
    isDangerous
    title="End this key and all its tokens?"
    consequence={
      <>
        It leaves the key set for ever, another key signs, and{' '}
        <strong>
          <Tokens kid={kid} />
        </strong>{' '}
        end now. This cannot be undone.
      </>
    }
    phrase={kid.slice(0, PHRASE_CHARACTERS)}
    words={['mintmark', 'key', 'compromise', ...kidWords(kid)]}
    run={({ note }) =>
      administration.compromiseSigningKey({ path: { kid }, body: { ...(note !== undefined && { note }) } })
    }
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
