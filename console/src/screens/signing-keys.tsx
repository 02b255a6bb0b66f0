// The signing keys as a timeline: which signs, which comes next, which is still published.
import { useQuery } from '@tanstack/react-query'
import type { ShowSigningKeyAnswer } from '../../../packages/client/src/index.ts'
import { addressOf } from '../address.ts'
import { Command } from '../parts/command.tsx'
import { Link } from '../parts/link.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { readPage } from '../reading/read-page.ts'
import { ACCESS } from '../../../api/values/access.ts'
import { useMay } from '../reading/role.ts'
import { administration } from '../reading/service.ts'
import { serviceNow } from '../reading/service-clock.ts'
import { KeyActs, Rotate } from '../signing-keys/key-acts.tsx'
import { KeyLife } from '../signing-keys/key-life.tsx'
import { rotationOf } from '../signing-keys/rotation.ts'
import '../look/keys-of-service.css'

const MEANINGS: Readonly<Record<ShowSigningKeyAnswer['state'], string>> = {
  next: 'published, and signs after the next rotation',
  current: 'signs',
  retained: 'signs no more, and is published while tokens of it live',
  gone: 'published no more',
  compromised: 'its tokens ended, and it was taken out at once',
}

/** The order of states: first those that verifiers use, then the past. */
const ORDER: readonly ShowSigningKeyAnswer['state'][] = ['current', 'next', 'retained', 'compromised', 'gone']

type KeyProps = { readonly signingKey: ShowSigningKeyAnswer; readonly rotatesAt: string | null | undefined }

const Key = ({ signingKey, rotatesAt }: KeyProps) => {
  const { kid, state, algorithm, imported, rotation_requested: isAwaited } = signingKey
  return (
    <li className={`key ${state}`}>
      <header>
        <h2>{state}</h2>
        <span className="quiet">
          {isAwaited ? 'published, and signs as soon as verifiers have it' : MEANINGS[state]}
        </span>
      </header>
      <p>
        <code>{kid}</code> {algorithm}
        {imported && ' · imported'}
      </p>
      <KeyLife signingKey={signingKey} rotatesAt={rotatesAt} />
      <KeyActs signingKey={signingKey} />
      <p className="acts">
        <Link to={addressOf('tokens', new URLSearchParams({ kid }))}>Its live tokens</Link>
        <Link to={addressOf('audit', new URLSearchParams({ subject: kid }))}>What was done to it</Link>
      </p>
    </li>
  )
}

export const SigningKeys = () => {
  const mayChange = useMay(ACCESS.writeKeys)
  const query = useQuery({
    queryKey: ['signing-keys'],
    queryFn: ({ signal }) =>
      readPage<ShowSigningKeyAnswer>((cursor, aborted) =>
        administration.listSigningKeys({ query: { cursor }, signal: aborted }),
      )(undefined, signal),
  })
  const { data } = query
  const rotatesAt = data === undefined ? undefined : rotationOf(data.data, serviceNow())
  const keys = data?.data.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state)) ?? []
  return (
    <>
      <h1>Signing keys</h1>
      <div className="acts">
        <Rotate />
        <Command words={['mintmark', 'key', ...(mayChange ? ['rotate'] : ['list'])]} />
      </div>
      <Waiting query={query} />
      <ol className="timeline">
        {keys.map(each => (
          <Key key={each.kid} signingKey={each} rotatesAt={rotatesAt} />
        ))}
      </ol>
      {data !== undefined && data.next_cursor !== null && (
        <p className="quiet">
          Older keys: <code>mintmark key list</code>.
        </p>
      )}
    </>
  )
}
