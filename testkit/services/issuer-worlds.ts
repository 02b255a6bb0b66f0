// Trusted issuers at a service of a test, each with a provider that signs and an agent that acts for its subjects.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { JWT_BEARER, TOKEN_EXCHANGE } from '../../api/values/delegation.ts'
import { type Answer, introspect } from '../callers/requests.ts'
import { exchangerOf, presentJwt, subjectJwt, trust } from '../callers/subject-jwts.ts'
import { type IdentityProvider, startIdentityProvider } from '../identity-providers/identity-provider.ts'
import type { ServiceInUse } from './service-fixture.ts'
import type { AgentOfTest } from './test-server.ts'

export type IssuerWorld = { readonly alias: string; readonly provider: IdentityProvider; readonly agent: AgentOfTest }

type Wanted = { readonly provider?: IdentityProvider; readonly [member: string]: unknown }

/** Call it where the tests are declared. */
export const useIssuerWorlds = (service: ServiceInUse) => {
  const introspector = service.apiKey('tokens:introspect')
  const providers: IdentityProvider[] = []
  let aliases = 0
  after(() => Promise.all(providers.map(provider => provider.close())))

  /** One more, with these members of its record; `provider` where two records are to be of one. */
  const makeWorld = async ({ provider: shared, ...record }: Wanted = {}): Promise<IssuerWorld> => {
    aliases += 1
    const alias = `issuer-${aliases}`
    const provider = shared ?? (await startIdentityProvider({ now: service.clock.wall }))
    if (shared === undefined) providers.push(provider)
    await trust(service, provider, { alias, token_types: ['id_token', 'id-jag'], ...record })
    const grantTypes = [TOKEN_EXCHANGE, JWT_BEARER] as const
    return { alias, provider, agent: await service.createAgent(exchangerOf(alias, { grantTypes })) }
  }

  /** Asks for a token for the subject, by an ID token. */
  const ask = async ({ provider, agent }: IssuerWorld, sub: string, claims = {}): Promise<Answer> => {
    const jwt = await subjectJwt(service, provider, 'id_token', { claims: { sub, ...claims } })
    return presentJwt(service, agent, jwt, { as: 'id_token', scope: 'db:read' })
  }

  const tokenFor = async (world: IssuerWorld, sub: string, claims = {}): Promise<string> => {
    const { status, json, text } = await ask(world, sub, claims)
    assert.equal(status, 200, text)
    return (json as { access_token: string }).access_token
  }

  const isActive = async (token: string): Promise<unknown> =>
    ((await introspect(service, introspector.key, token)).json as { active: unknown }).active

  const areActive = async (...tokens: readonly string[]): Promise<readonly unknown[]> => {
    const found: unknown[] = []
    for (const token of tokens) found.push(await isActive(token))
    return found
  }

  return { makeWorld, ask, tokenFor, isActive, areActive }
}
