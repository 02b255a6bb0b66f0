// What the bench asks of Mintmark: issue, introspect (a fresh token each time, or the same one again), revoke.
import { type Answer, askOnce, formRequest } from './connection.ts'
import { type Load, runClosed, UnexpectedAnswer } from './load.ts'
import type { MintmarkServer } from './servers/mintmark-server.ts'

/** Tokens kept for later slices; about 1 KiB each. */
const POOL_MAX = 400_000

export type Operation = 'issue' | 'introspect fresh' | 'introspect same' | 'revoke'

export type MintmarkLoads = Readonly<Record<Operation, Load>> & {
  /** Issues until the pool holds so many tokens, outside of any measured time. */
  readonly fillPool: (tokens: number, connections: number) => Promise<void>
}

const TOKEN_PREFIX = '{"access_token":"'

export const issueRequest = ({ agent }: Pick<MintmarkServer, 'agent'>): string => {
  const { client_id, client_secret } = agent
  const fields = { grant_type: 'client_credentials', client_id, client_secret, scope: 'db:read' }
  return formRequest('/oauth/token', new URLSearchParams(fields).toString())
}

/** The token in the answer to an issue. */
export const tokenIn = (answer: Answer): string => {
  if (answer.status !== 200 || !answer.body.startsWith(TOKEN_PREFIX)) throw new UnexpectedAnswer('An issue', answer)
  return answer.body.slice(TOKEN_PREFIX.length, answer.body.indexOf('"', TOKEN_PREFIX.length))
}

export const introspectRequest = ({ apiKey }: Pick<MintmarkServer, 'apiKey'>, token: string): string =>
  formRequest('/oauth/introspect/v2', `token=${token}`, [`x-api-key: ${apiKey}`])

export const revokeRequest = ({ operatorJwt }: Pick<MintmarkServer, 'operatorJwt'>, token: string): string =>
  formRequest('/oauth/revoke', `token=${token}`, [`authorization: Bearer ${operatorJwt}`])

export const takeActive = (answer: Answer): void => {
  if (answer.status !== 200 || !answer.body.startsWith('{"active":true,"sub":"')) {
    throw new UnexpectedAnswer('An introspection', answer)
  }
}

export const takeRevoked = (answer: Answer): void => {
  if (answer.status !== 200 || answer.body !== '{}') throw new UnexpectedAnswer('A revocation', answer)
}

export const makeMintmarkLoads = async (server: MintmarkServer): Promise<MintmarkLoads> => {
  const { port, pid } = server
  const issuing = issueRequest(server)
  const same = tokenIn(await askOnce(port, issuing))
  const asking = introspectRequest(server, same)
  const pool: string[] = []
  const take = (): string | undefined => pool.pop()

  const issue: Load = {
    port,
    pid,
    next: () => issuing,
    take: answer => {
      const token = tokenIn(answer)
      if (pool.length < POOL_MAX) pool.push(token)
    },
  }

  const fillPool = async (tokens: number, connections: number): Promise<void> => {
    let missing = Math.min(tokens, POOL_MAX) - pool.length
    const next = () => (missing-- > 0 ? issuing : undefined)
    if (missing > 0) await runClosed({ ...issue, next }, connections, Number.POSITIVE_INFINITY)
  }

  const withToken = (request: (server: MintmarkServer, token: string) => string) => (): string | undefined => {
    const token = take()
    return token === undefined ? undefined : request(server, token)
  }

  return {
    issue,
    'introspect fresh': { port, pid, next: withToken(introspectRequest), take: takeActive },
    'introspect same': { port, pid, next: () => asking, take: takeActive },
    revoke: { port, pid, next: withToken(revokeRequest), take: takeRevoked },
    fillPool,
  }
}
