// Requests of which a caller must not learn why they fail: groups of classes, and which of them are compared.
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, openConnection } from '../connection.ts'
import { type AgentAccess, issueRequest, revokeRequest, tokenIn } from '../requests.ts'
import { change } from '../overload/administer.ts'
import { SHORT_LIFETIME_SECONDS } from '../service-under-drill.ts'
import { forgedToken, introspection, tokenRequest, wrongApiKey, wrongSecret } from '../strangers/requests.ts'
import type { World } from '../strangers/world.ts'

export type Group = {
  readonly name: string
  readonly classes: Readonly<Record<string, readonly Buffer[]>>
  /** The second is the one that the first is compared with. */
  readonly pairs: readonly (readonly [string, string])[]
}

/** The variants of each class: more than a cache of the last one would help, and few enough that each is known. */
const VARIANTS = 8
const OTHER_AUDIENCE = 'https://other.example.com'

const repeat = <T>(make: () => T): readonly T[] => Array.from({ length: VARIANTS }, make)

const issueMany = async (connection: Connection, agent: AgentAccess): Promise<readonly string[]> => {
  const tokens: string[] = []
  while (tokens.length < VARIANTS) tokens.push(tokenIn((await connection.exchange(issueRequest(agent))).body))
  return tokens
}

const clientGroup = async (world: World): Promise<Group> => {
  const { agent, shortLivedAgent } = world.access
  await change(world, `/api/v1/agents/${shortLivedAgent.clientId}/credentials`, { name: 'second' })
  const unknown = randomUUID()
  return {
    name: 'client secret',
    classes: {
      'unknown client': repeat(() => tokenRequest(unknown, wrongSecret())),
      'wrong secret': repeat(() => tokenRequest(agent.clientId, wrongSecret())),
      'wrong secret, two credentials': repeat(() => tokenRequest(shortLivedAgent.clientId, wrongSecret())),
    },
    pairs: [
      ['wrong secret', 'unknown client'],
      ['wrong secret, two credentials', 'wrong secret'],
    ],
  }
}

const apiKeyGroup = async (world: World, token: string): Promise<Group> => {
  const revoked: string[] = []
  while (revoked.length < VARIANTS) {
    const body = { name: `revoked ${revoked.length}`, permissions: ['tokens:introspect'] }
    const made = await change(world, '/api/v1/api-keys', body)
    await change(world, `/api/v1/api-keys/${made['api_key_id']}/revoke`, { note: 'drill' })
    revoked.push(made['api_key'] ?? '')
  }
  return {
    name: 'API key',
    classes: {
      unknown: repeat(() => introspection(wrongApiKey(), token)),
      revoked: revoked.map(key => introspection(key, token)),
    },
    pairs: [['revoked', 'unknown']],
  }
}

/** Keeps header and claims, and replaces the signature by random bytes. */
const forgeSignature = (token: string): string =>
  `${token.slice(0, token.lastIndexOf('.'))}.${randomBytes(64).toString('base64url')}`

/** Returns the token as another issuer would have issued it, whose name is as long. */
const makeForeign = (token: string): string => {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly iss: string }
  const foreign = { ...claims, iss: claims.iss.replace('127.0.0.1', '127.0.0.2') }
  return `${header}.${Buffer.from(JSON.stringify(foreign)).toString('base64url')}.${signature}`
}

/** Makes the group of a key that is limited to another audience: for it no token is active. */
const inactiveGroup = async (world: World, connection: Connection, live: readonly string[]): Promise<Group> => {
  const { access } = world
  const body = { name: 'other', permissions: ['tokens:introspect'], audiences: [OTHER_AUDIENCE] }
  const { api_key: key = '' } = await change(world, '/api/v1/api-keys', body)
  const revoked = await issueMany(connection, access.agent)
  for (const token of revoked) await connection.exchange(revokeRequest(access, token, 'manual_revocation'))
  const expired = await issueMany(connection, access.shortLivedAgent)
  await delay(1000 * (SHORT_LIFETIME_SECONDS + 1))
  const tokens: Readonly<Record<string, readonly string[]>> = {
    forged: live.map(forgeSignature),
    expired,
    revoked,
    foreign: live.map(makeForeign),
    'unknown id': live.map(forgedToken),
    'other audience': live,
  }
  const others = Object.keys(tokens).filter(name => name !== 'forged')
  return {
    name: 'inactive token',
    classes: Object.fromEntries(
      Object.entries(tokens).map(([name, texts]) => [name, texts.map(text => introspection(key, text))]),
    ),
    pairs: others.map(name => [name, 'forged'] as const),
  }
}

/** Makes what the classes need, on a service that runs. */
export const makeGroups = async (world: World): Promise<readonly Group[]> => {
  const connection = await openConnection(world.access.port)
  try {
    const live = await issueMany(connection, world.access.agent)
    return [
      await clientGroup(world),
      await apiKeyGroup(world, live[0] ?? ''),
      await inactiveGroup(world, connection, live),
    ]
  } finally {
    connection.close()
  }
}
