// The whole life of one token: why it is active or not, who ended it and why, what it is, where it is used, and its tree.
import { useQuery } from '@tanstack/react-query'
import { ACCESS } from '../../../api/values/access.ts'
import { formatIssuerSubject } from '../../../api/values/subject.ts'
import type { ExplainTokenAnswer } from '../../../packages/client/src/index.ts'
import { addressOf } from '../address.ts'
import { addressOfSubject } from '../parts/subject-address.ts'
import { StopAgent } from '../acts/stop-agent.tsx'
import { NamedAgent, ShortId } from '../parts/agent-name.tsx'
import { Command } from '../parts/command.tsx'
import { Instant } from '../parts/instant.tsx'
import { Link } from '../parts/link.tsx'
import { type Member, Members } from '../parts/members.tsx'
import { OPEN, Panel } from '../parts/panel.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { explanationKey, PASTED, explainId } from '../reading/explanations.ts'
import { isNotFound } from '../reading/not-found.ts'
import { useMay } from '../reading/role.ts'
import { auditOfEnd } from '../acts/act-of-end.ts'
import { Checks } from './checks.tsx'
import { explainCode } from './describe-check.ts'
import { ActorName } from './actor-name.tsx'
import { formatReason } from './describe-end.ts'
import { EndToken } from './end-token.tsx'
import { Lineage } from './lineage.tsx'
import { TokenUses } from './token-uses.tsx'

type Token = NonNullable<ExplainTokenAnswer['token']>

const at = (screen: string, query: Readonly<Record<string, string>>): string =>
  addressOf(screen, new URLSearchParams(query))

const End = ({ token }: { readonly token: Token }) => {
  const audit = auditOfEnd(token.ended_at, token.termination_reason)
  const mayAudit = useMay(ACCESS.readAudit)
  const { ancestor_id: ancestor } = token
  return (
    <section>
      <h3>Its end</h3>
      <Members
        of={[
          ['When', token.ended_at === null ? null : <Instant at={token.ended_at} />],
          ['By', token.ended_by === null ? null : <ActorName key="by" actor={token.ended_by} />],
          ['Note', token.note],
          [
            'Revocation',
            token.revocation_id === null ? null : (
              <Link key="revocation" to={at('history', { revocation_id: token.revocation_id })}>
                <code>{token.revocation_id}</code>
              </Link>
            ),
          ],
          [
            'With the end of',
            ancestor === null ? null : (
              <Link key="ancestor" to={at('tokens', { [OPEN]: ancestor })}>
                <code>{ancestor}</code>
              </Link>
            ),
          ],
        ]}
      />
      {mayAudit && audit !== undefined && <Link to={audit}>The act in the audit log</Link>}
    </section>
  )
}

const Subject = ({ of }: { readonly of: Token['subject'] }) =>
  'issuer' in of ? (
    <Link to={addressOfSubject(formatIssuerSubject(of))}>
      <code title={of.iss}>{formatIssuerSubject(of)}</code>
    </Link>
  ) : (
    <NamedAgent id={of.agent_id} name={of.agent_name} />
  )

const membersOf = (token: Token, maySeeKeys: boolean): readonly Member[] => [
  ['Token', <code key="id">{token.id}</code>],
  [
    'Agent',
    <Link key="agent" to={at('agents', { [OPEN]: token.agent_id })}>
      <NamedAgent id={token.agent_id} name={token.agent_name} />
    </Link>,
  ],
  [
    'Credential',
    <Link key="credential" to={at('agents', { [OPEN]: token.agent_id, credential: token.credential_id })}>
      <code>{token.credential_id}</code>
    </Link>,
  ],
  ['Scope', token.scope],
  ['Audience', token.audience.join('\n')],
  ['Issued', <Instant key="issued" at={token.issued_at} />],
  [token.state === 'active' ? 'Expires' : 'Issued until', <Instant key="expires" at={token.expires_at} />],
  [
    'Signing key',
    maySeeKeys ? (
      <Link key="kid" to={addressOf('keys')}>
        <code>{token.kid}</code>
      </Link>
    ) : (
      <code key="kid">{token.kid}</code>
    ),
  ],
  [
    'On behalf of',
    'issuer' in token.subject || token.subject.agent_id !== token.agent_id ? (
      <Subject key="subject" of={token.subject} />
    ) : null,
  ],
  [
    'Got for',
    token.parent_id === null ? null : (
      <Link key="parent" to={at('tokens', { [OPEN]: token.parent_id })}>
        <ShortId id={token.parent_id} />
      </Link>
    ),
  ],
  ['Depth', token.depth === 0 ? null : token.depth],
]

const Life = ({ token }: { readonly token: Token }) => {
  const mayAudit = useMay(ACCESS.readAudit)
  const isActive = token.state === 'active'
  return (
    <>
      {isActive ? (
        <div className="acts">
          <EndToken token={token} />
          <StopAgent
            id={token.agent_id}
            name={token.agent_name ?? 'its agent'}
            look="dangerous"
            trigger="Stop its agent"
          />
        </div>
      ) : (
        <End token={token} />
      )}
      <Members of={membersOf(token, mayAudit)} />
      <TokenUses token={token} isEnded={!isActive} />
      <Lineage id={token.id} />
      {token.root_id !== null && <Link to={at('tokens', { root_id: token.root_id })}>Live tokens of its tree</Link>}
    </>
  )
}

const Explained = ({ explanation: { active, code, checks, token } }: { readonly explanation: ExplainTokenAnswer }) => {
  const about = explainCode(code)
  return (
    <>
      <p className={active ? 'state active' : 'state ended'}>{formatReason(code)}</p>
      {about !== undefined && <p>{about}</p>}
      {token !== null && <Life token={token} />}
      <Checks checks={checks} />
      <Command words={['mintmark', 'token', 'explain', ...(token === null ? [] : [token.id])]} />
    </>
  )
}

const NotKept = ({ id }: { readonly id: string }) => (
  <>
    <p className="state ended">unknown</p>
    <p>This service has no record of it: it was never issued here, or retention removed it.</p>
    <code>{id}</code>
  </>
)

export const TokenPanel = ({ id }: { readonly id: string }) => {
  const isPasted = id === PASTED
  const query = useQuery({
    queryKey: explanationKey(id),
    queryFn: ({ signal }) => explainId(id, signal),
    enabled: !isPasted,
  })
  const { data, error } = query
  return (
    <Panel title="Token">
      {isNotFound(error) ? <NotKept id={id} /> : !isPasted && <Waiting query={query} />}
      {data !== undefined && !isNotFound(error) && <Explained explanation={data} />}
      {data === undefined && isPasted && <p>The text of a token is not kept. Paste it into the search once more.</p>}
    </Panel>
  )
}
