// In this folder: issues, exchanges, introspects, explains and ends tokens, mostly for a group of requests at once.
// Checks a subject token that another issuer made (RFC 8693 §2.1) before its request joins the group that is decided on: no other
// request waits for the keys of an issuer. What can change is decided again in that group, each time.
import { issuerIn } from '../../../../api/values/delegation.ts'
import { recordFor } from '../../domain/clients/foreign-jwt.ts'
import { atPlaces, GROUP_MAX } from '../../domain/one-by-one.ts'
import { isRefused } from '../../domain/refusal.ts'
import type { TrustedRecord, UnverifiedJwt } from '../../ports/issuers.ts'
import type { Freshness, Ports } from '../../ports/ports.ts'
import type { TokenReference } from '../../ports/token-codec.ts'
import type { RequestOrigin } from '../authentication/authenticate-client.ts'
import { clientIdOf } from '../authentication/recognize-client.ts'
import { inGroups } from '../group.ts'
import { refuseUnknown } from './exchange-tokens.ts'
import { type Exchange, type Grant, grantToken, isExchange, type IssueRequest, type NotGranted } from './grant-token.ts'

type CheckPorts = Pick<
  Ports,
  'agents' | 'codec' | 'foreignIssuers' | 'importedSecrets' | 'issuers' | 'profile' | 'secrets' | 'timing'
>

/**
 * What the subject token or the assertion is by itself: a token of this service, where it can be one, or a JWT that another issuer can have
 * made; nothing else is looked for.
 */
export const readSubject = (
  { codec, foreignIssuers, profile }: CheckPorts,
  { exchange, assertion }: Pick<IssueRequest, 'exchange' | 'assertion'>,
): { readonly reference?: TokenReference; readonly unverified?: UnverifiedJwt } => {
  const text = exchange?.subjectToken ?? assertion
  const reference = text === undefined ? undefined : codec.read(text)
  if (text === undefined || reference !== undefined) return reference === undefined ? {} : { reference }
  const unverified = foreignIssuers.read(text)
  return 'wrong' in unverified || unverified.claims['iss'] === profile.issuer ? {} : { unverified }
}

type Presenting = IssueRequest & { readonly origin: RequestOrigin }

type Asked = { readonly request: Presenting; readonly jwt: UnverifiedJwt }

type Found = { readonly record: TrustedRecord; readonly exchange: Exchange }

const recordOf = (
  decided: Grant | Exchange | NotGranted,
  issuers: readonly TrustedRecord[],
  jwt: UnverifiedJwt | undefined,
): Found | NotGranted => {
  if (isRefused(decided)) return decided
  if (!isExchange(decided)) throw new Error('A request with a JWT asks for nothing by it.')
  const { agent, number } = decided.client
  const record = jwt === undefined ? undefined : recordFor(issuers, jwt.claims)
  // For no other agent keys are fetched.
  const mayExchange = agent.actsFor.some(entry => record !== undefined && issuerIn(entry)?.issuer === record.alias)
  if (record !== undefined && mayExchange) return { record, exchange: decided }
  return { ...refuseUnknown(decided), authenticated: number }
}

const findRecords = async (
  ports: CheckPorts,
  asked: readonly Asked[],
  freshness: Freshness,
): Promise<readonly (Found | NotGranted)[]> => {
  const clientIds = asked.map(({ request }) => clientIdOf(request.credentials))
  const { clients, now } = await ports.agents.viewForIssue(clientIds, freshness)
  const decided = asked.map(({ request }, n) => grantToken(ports, request, clients[n], now))
  const issuers = decided.some(isExchange) ? (await ports.issuers.trusted()).issuers : []
  return decided.map((one, n) => recordOf(one, issuers, asked[n]?.jwt))
}

/** The records by which the JWTs are to be verified; in order. No refusal comes from a cache. */
const findEach = async (ports: CheckPorts, asked: readonly Asked[]): Promise<readonly (Found | NotGranted)[]> => {
  const cached = await findRecords(ports, asked, 'cached')
  const isOpen = (_: Asked, n: number): boolean => cached[n] === undefined || isRefused(cached[n])
  const open = asked.filter(isOpen)
  const fresh = atPlaces(asked, isOpen, open.length === 0 ? [] : await findRecords(ports, open, 'fresh'))
  return cached.map((one, n) => fresh[n] ?? one)
}

/**
 * Returns the function that verifies the JWT of a request: the request with it, or the refusal. It throws Unavailable where the keys
 * cannot be read, which is the answer of that request alone. What arrives together is looked up together.
 */
export const makeCheckSubjectJwt = (ports: CheckPorts, defer: (work: () => void) => void) => {
  const find = inGroups<Asked, Found | NotGranted>(asked => findEach(ports, asked), {
    groupMax: GROUP_MAX,
    defer,
    timing: ports.timing,
  })
  return async <Request extends Presenting>(request: Request, jwt: UnverifiedJwt): Promise<Request | NotGranted> => {
    const found = await find({ request, jwt })
    if (isRefused(found)) return found
    const { record, exchange } = found
    const wrong = await jwt.verify(record, request.origin.source)
    if (wrong !== null) return { ...refuseUnknown(exchange), authenticated: exchange.client.number }
    return { ...request, jwt: { typ: jwt.typ, claims: jwt.claims, by: record } }
  }
}
