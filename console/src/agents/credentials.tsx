// The credentials of an agent: how it proves who it is, since when, and until when.
import { useQuery } from '@tanstack/react-query'
import type { ShowCredentialAnswer } from '../../../packages/client/src/index.ts'
import { addressOf, useAddress } from '../address.ts'
import { Fault } from '../parts/fault.tsx'
import { formatCount } from '../parts/format-number.ts'
import { Link } from '../parts/link.tsx'
import { Time } from '../parts/time.tsx'
import { readPage } from '../reading/read-page.ts'
import { administration } from '../reading/service.ts'
import { CreateCredential } from './create-credential.tsx'
import { RevokeCredential } from './revoke-credential.tsx'
import { RotateCredential } from './rotate-credential.tsx'

const stateOf = ({ revoked_at: revoked, suspended_at: suspended }: ShowCredentialAnswer): string | null => {
  if (revoked !== null) return 'revoked'
  return suspended === null ? null : 'suspended by a restore'
}

const Credential = ({ credential }: { readonly credential: ShowCredentialAnswer }) => {
  const state = stateOf(credential)
  // A token's panel names the credential that got it.
  const named = useAddress().query.get('credential')
  const { name, kind, live_tokens: live, last_used_at: used, expires_at: expires } = credential
  return (
    <li aria-current={named === credential.credential_id ? 'true' : undefined}>
      <strong>{name}</strong> <span className="quiet">{kind}</span>
      <p className="quiet">
        <Link to={addressOf('tokens', new URLSearchParams({ credential_id: credential.credential_id }))}>
          {formatCount(live)} live {live.count === 1 ? 'token' : 'tokens'}
        </Link>{' '}
        ·{' '}
        {used === null ? (
          'never used'
        ) : (
          <>
            used <Time at={used} />
          </>
        )}
        {expires !== null && (
          <>
            {' '}
            · expires <Time at={expires} />
          </>
        )}
        {state !== null && ` · ${state}`}
      </p>
      {state === null && (
        <div className="acts">
          {kind === 'client_secret' && <RotateCredential credential={credential} />}
          <RevokeCredential credential={credential} />
        </div>
      )}
    </li>
  )
}

export const useCredentials = (agentId: string) =>
  useQuery({
    queryKey: ['credentials', agentId],
    queryFn: ({ signal }) =>
      readPage<ShowCredentialAnswer>((cursor, aborted) =>
        administration.listCredentials({ path: { agent_id: agentId }, query: { cursor }, signal: aborted }),
      )(undefined, signal),
  })

export const Credentials = ({ agentId }: { readonly agentId: string }) => {
  const { data, error, refetch } = useCredentials(agentId)
  return (
    <section>
      <h3>Credentials</h3>
      {error !== null && <Fault fault={error} onAgain={() => void refetch()} />}
      <ul className="credentials">
        {data?.data.map(credential => (
          <Credential key={credential.credential_id} credential={credential} />
        ))}
      </ul>
      <div className="acts">
        <CreateCredential agentId={agentId} />
      </div>
    </section>
  )
}
