// The tree of a token: what it was got for, and what was got for it.
import { useQuery } from '@tanstack/react-query'
import { formatIssuerSubject } from '../../../api/values/subject.ts'
import type { ListLineagePage } from '../../../packages/client/src/index.ts'
import { addressOf } from '../address.ts'
import { NamedAgent, ShortId } from '../parts/agent-name.tsx'
import { Command } from '../parts/command.tsx'
import { Fault } from '../parts/fault.tsx'
import { Link } from '../parts/link.tsx'
import { OPEN } from '../parts/panel.tsx'
import { readPage } from '../reading/read-page.ts'
import { administration } from '../reading/service.ts'
import { formatReason } from './describe-end.ts'

type Kin = ListLineagePage['data'][number]

const parentOf = (token: Kin): string | null => ('removed' in token ? null : token.parent_id)

const endOf = (token: Kin): string => {
  if ('removed' in token) return 'removed by retention'
  return token.termination_reason === null ? token.state : formatReason(token.termination_reason)
}

const AgentLink = ({ id, name }: { readonly id: string; readonly name: string | null }) => (
  <Link to={addressOf('agents', new URLSearchParams({ [OPEN]: id }))}>
    <NamedAgent id={id} name={name} />
  </Link>
)

const KinLink = ({ token }: { readonly token: Kin }) =>
  'removed' in token ? (
    <ShortId id={token.id} />
  ) : (
    <Link to={addressOf('tokens', new URLSearchParams({ [OPEN]: token.id }))}>
      <ShortId id={token.id} />
    </Link>
  )

const isLive = (token: Kin): boolean => !('removed' in token) && token.state === 'active'

const childrenOf = (token: Kin, all: readonly Kin[]): readonly Kin[] => all.filter(each => parentOf(each) === token.id)

/** How many live tokens end with it. */
const countBelow = (token: Kin, all: readonly Kin[]): number =>
  childrenOf(token, all).reduce((sum, child) => sum + (isLive(child) ? 1 : 0) + countBelow(child, all), 0)

/** A token that is alone in its tree, and acts for a subject of an issuer. */
const subjectIn = ([token]: readonly Kin[]): string =>
  token === undefined || 'removed' in token || !('issuer' in token.subject)
    ? ''
    : ` for ${formatIssuerSubject(token.subject)}`

type BranchProps = { readonly token: Kin; readonly all: readonly Kin[]; readonly id: string }

const Branch = ({ token, all, id }: BranchProps) => {
  const children = childrenOf(token, all)
  const below = isLive(token) ? countBelow(token, all) : 0
  return (
    <li>
      <p className={isLive(token) ? 'leaf live' : 'leaf'}>
        {token.id === id ? <strong>This token</strong> : <KinLink token={token} />}{' '}
        {!('removed' in token) && <AgentLink id={token.agent_id} name={token.agent_name} />}{' '}
        <span className="quiet">{endOf(token)}</span>
        {below > 0 && (
          <span className="quiet">
            , {below} {below === 1 ? 'ends' : 'end'} with it
          </span>
        )}
      </p>
      {children.length > 0 && (
        <ul>
          {children.map(child => (
            <Branch key={child.id} token={child} all={all} id={id} />
          ))}
        </ul>
      )}
    </li>
  )
}

export const Lineage = ({ id }: { readonly id: string }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['lineage', id],
    queryFn: ({ signal }) =>
      readPage<Kin>((cursor, aborted) =>
        administration.listLineage({ path: { id }, query: { cursor }, signal: aborted }),
      )(undefined, signal),
  })
  if (error !== null) return <Fault fault={error} onAgain={() => void refetch()} />
  if (data === undefined) return null
  const ids = new Set(data.data.map(token => token.id))
  const roots = data.data.filter(token => !ids.has(parentOf(token) ?? ''))
  return (
    <section>
      <h3>Its tree</h3>
      {data.data.length <= 1 ? (
        <p className="quiet">It was got with a credential{subjectIn(data.data)}, and no token was got for it.</p>
      ) : (
        <ul className="tree">
          {roots.map(root => (
            <Branch key={root.id} token={root} all={data.data} id={id} />
          ))}
        </ul>
      )}
      <Command words={['mintmark', 'token', 'lineage', id]} />
      {data.next_cursor !== null && <p className="quiet">The tree goes on: these are the first {data.data.length}.</p>}
    </section>
  )
}
