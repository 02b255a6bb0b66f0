// Sends the table of requests to a running recipe, and holds it to the right answers: `node run.ts --address URL --kind api --checks keys`.
import { parseArgs } from 'node:util'
import type { Seen } from './echo.ts'
import { ISSUER, ORDERS } from './environment.ts'
import { bodyOf, exchange, type Got } from './exchange.ts'
import { type Answer, CHECKS, expectedSet, FORGED, KINDS, type Recipe, type Row, rowsFor } from './table.ts'
import { makeTokens, revoke } from './tokens.ts'

/** The feed brings a revocation within it, on a machine that others use too. */
const REVOKED_WITHIN_MS = 2000

const isRejected = (status: number): boolean => status === 0 || (status >= 400 && status < 500)

const STATUSES: Readonly<Record<Answer, (status: number) => boolean>> = {
  accepted: status => status === 200,
  unforged: status => status === 200 || isRejected(status),
  rejected: isRejected,
  served: status => status === 200 || status === 204,
  refused: status => status === 401,
  malformed: status => status === 400 || status === 401,
  forbidden: status => status === 403,
}

const pairsOf = (raw: readonly string[]) =>
  raw.flatMap((name, n) => (n % 2 === 0 ? [[name.toLowerCase(), raw[n + 1] ?? ''] as const] : []))

/** What is wrong with what the API behind a gateway saw; undefined where nothing is. */
const faultOfSeen = ({ sent, caller, resolved }: Row, seen: Seen): string | undefined => {
  const { headers, trailers, url } = seen
  const pairs = [...pairsOf(headers), ...pairsOf(trailers)]
  const forged = pairs.filter(([, value]) => value === FORGED).map(([name]) => name)
  if (forged.length > 0) return `the API saw what the caller forged: ${forged.join(', ')}`
  if (sent.path !== undefined && url !== sent.path && url !== resolved) {
    return `the API saw the path ${url}, not ${sent.path}`
  }
  if (seen.method !== (sent.method ?? 'GET') || seen.body !== bodyOf(sent))
    return `the API saw ${seen.method} ${seen.body}`
  for (const [name, value] of Object.entries(expectedSet(caller))) {
    const values = pairs.filter(([one]) => one === name).map(([, one]) => one)
    if (values.length > 1 || (values[0] ?? '') !== value)
      return `the API saw ${name}: ${values.join(', ')}, not ${value}`
  }
  return undefined
}

/** Where a caller learns of the authorization server is under the name of the resource (RFC 9728 §5.1). */
const faultOfChallenge = (challenge = '', { address, resource }: Recipe): string | undefined => {
  if (!/^(?:Bearer|DPoP)\b/i.test(challenge)) return '401 without a challenge'
  const metadata = /resource_metadata="(?<url>[^"]*)"/.exec(challenge)?.groups?.['url']
  const origins = [address, resource].map(one => new URL(one).origin)
  const isOurs = metadata === undefined || origins.includes(new URL(metadata).origin)
  return isOurs ? undefined : `a challenge that names ${metadata}`
}

const faultOfMetadata = ({ sent }: Row, { resource }: Recipe, { headers, body }: Got): string | undefined => {
  if (headers['access-control-allow-origin'] !== '*') return 'not for pages of any origin'
  if (sent.method === 'OPTIONS') return undefined
  const { resource: named, authorization_servers: servers } = JSON.parse(body) as Readonly<Record<string, unknown>>
  return named === resource && String(servers) === ISSUER ? undefined : `metadata that name ${body}`
}

const faultOf = (row: Row, recipe: Recipe, got: Got): string | undefined => {
  const { status, headers, body } = got
  if (!STATUSES[row.answer](status)) return `${status} is not ${row.answer}`
  if (status === 401) return faultOfChallenge(headers['www-authenticate'], recipe)
  if (row.answer === 'served') return faultOfMetadata(row, recipe, got)
  const isSeen = recipe.kind === 'gateway' && status === 200 && row.sent.method !== 'HEAD'
  return isSeen ? faultOfSeen(row, JSON.parse(body) as Seen) : undefined
}

/** A revocation that comes by the feed may be on its way. */
const answerTo = async (row: Row, recipe: Recipe): Promise<Got> => {
  const until = performance.now() + REVOKED_WITHIN_MS
  for (;;) {
    const got = await exchange(recipe.address, row.sent)
    const isOnItsWay = row.name === 'revoked' && recipe.checks === 'feed' && got.status === 200
    if (!isOnItsWay || performance.now() > until) return got
  }
}

export const holdToTable = async (recipe: Recipe): Promise<void> => {
  const tokens = await makeTokens(recipe.resource)
  const rows = rowsFor(recipe, tokens)
  const faults: string[] = []
  for (const row of rows) {
    if (row.name === 'revoked') await revoke(tokens.revoked)
    const fault = await answerTo(row, recipe)
      .then(got => faultOf(row, recipe, got))
      .catch((error: Error) => error.message)
    if (fault !== undefined) faults.push(`${row.name}: ${fault}`)
  }
  console.log(`${recipe.address}: ${rows.length - faults.length} of ${rows.length} requests answered as they should be`)
  if (faults.length > 0) throw new Error(faults.join('\n'))
}

const oneOf = <T extends string>(name: string, value: string, all: readonly T[]): T => {
  const found = all.find(one => one === value)
  if (found === undefined) throw new Error(`--${name} ${value} is none of ${all.join(', ')}`)
  return found
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      address: { type: 'string', default: '' },
      resource: { type: 'string', default: ORDERS },
      kind: { type: 'string', default: 'api' },
      checks: { type: 'string', default: '' },
    },
  })
  const { address, resource } = values
  const kind = oneOf('kind', values.kind, KINDS)
  await holdToTable({ address, resource, kind, checks: oneOf('checks', values.checks, CHECKS) })
}
