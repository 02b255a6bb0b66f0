// The settings of docs/manage/issuer-recipes.md: what each provider's tokens look like, and which of them must get nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JWT_BEARER, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { claimsOf } from '../../../../testkit/callers/requests.ts'
import { presentIdJag, presentJwt, type SubjectTokenType, trust } from '../../../../testkit/callers/subject-jwts.ts'
import {
  type IdentityProvider,
  type JwtHeader,
  startIdentityProvider,
} from '../../../../testkit/identity-providers/identity-provider.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Claims = Readonly<Record<string, unknown>>

type Recipe = {
  readonly record: Claims & { readonly token_types: readonly [SubjectTokenType | 'id-jag'] }
  /** Whether the agent acts for this one alone. */
  readonly isOfOneSubject?: true
  /** What the agent is called at the provider. */
  readonly client: string
  readonly header: JwtHeader
  readonly claims: Claims
  readonly sub: string
  /** What differs in tokens that must get none, and what the answer says. */
  readonly refused: Readonly<Record<string, readonly [Claims, RegExp]>>
}

const TENANT = '3f2b7d1c-8e90-4c55-9a61-b2d8a4c01f3e'
const OID = '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d'

const REQUIRED = /nor a JWT of an issuer from which this agent may/
const PARTY = /is none of the parties/
const RECIPIENT = /was not sent to this agent: aud is/

const RECIPES: Readonly<Record<string, Recipe>> = {
  'Microsoft Entra': {
    record: {
      subject_claim: 'oid',
      require: { tid: TENANT, idtyp: 'user' },
      token_types: ['jwt'],
      parties: ['7c1f6f5e-4b52-4a6c-9d0c-5f5b1f6a2f10'],
    },
    client: '2d4f6a80-1b3c-4d5e-8f70-91a2b3c4d5e6',
    header: { typ: 'JWT' },
    claims: {
      ver: '2.0',
      tid: TENANT,
      oid: OID,
      sub: 'pairwise-of-this-app',
      azp: '7c1f6f5e-4b52-4a6c-9d0c-5f5b1f6a2f10',
      azpacr: '1',
      idtyp: 'user',
      scp: 'access_as_user',
      uti: 'x',
      rh: 'y',
    },
    sub: OID,
    refused: {
      'of an app': [{ idtyp: 'app' }, REQUIRED],
      'without the optional claim': [{ idtyp: undefined }, REQUIRED],
      'of another tenant': [{ tid: '00000000-8e90-4c55-9a61-b2d8a4c01f3e' }, REQUIRED],
      'got by another program': [{ azp: '00000000-4b52-4a6c-9d0c-5f5b1f6a2f10' }, PARTY],
      'for another app': [{ aud: '00000003-0000-0000-c000-000000000000' }, RECIPIENT],
    },
  },
  Okta: {
    record: { token_types: ['id-jag'] },
    client: '0oa1b2c3d4E5F6G7H8i9',
    header: { typ: 'oauth-id-jag+jwt' },
    claims: { client_id: '0oa1b2c3d4E5F6G7H8i9', scope: 'db:read openid', sub: '00u1a2b3c4D5E6F7G8H9', jti: 'a' },
    sub: '00u1a2b3c4D5E6F7G8H9',
    refused: {
      'for another agent': [{ client_id: '0oaOther', jti: 'b' }, /was not sent to this agent: client_id is/],
      'for another service': [{ aud: 'https://other.example', jti: 'c' }, /is not for this service: aud is/],
      'for scopes of another form': [{ scope: 'todos.read', jti: 'd' }, /has no scope that/],
    },
  },
  Keycloak: {
    record: { token_types: ['jwt'], parties: ['web'] },
    client: 'reports-agent',
    header: { typ: 'JWT' },
    claims: {
      typ: 'Bearer',
      azp: 'web',
      aud: ['reports-agent', 'account'],
      sub: OID,
      sid: 'session',
      acr: '1',
      realm_access: { roles: ['offline_access'] },
      scope: 'openid email profile',
      preferred_username: 'alice',
    },
    sub: OID,
    refused: {
      'got by another client': [{ azp: 'batch' }, PARTY],
      'without the audience': [{ aud: 'account' }, RECIPIENT],
    },
  },
  'GitHub Actions': {
    record: { token_types: ['id_token'], require: { repository_owner_id: '1234567' } },
    isOfOneSubject: true,
    client: 'deployer',
    header: { typ: 'JWT', x5t: 'x' },
    claims: {
      aud: 'deployer',
      sub: 'repo:example/reports:ref:refs/heads/main',
      ref: 'refs/heads/main',
      repository: 'example/reports',
      repository_owner_id: '1234567',
      job_workflow_ref: 'example/reports/.github/workflows/deploy.yaml@refs/heads/main',
      jti: 'a',
    },
    sub: 'repo:example/reports:ref:refs/heads/main',
    refused: {
      'of another owner': [{ repository_owner_id: '7' }, REQUIRED],
      'for another audience': [{ aud: 'https://github.com/example' }, RECIPIENT],
    },
  },
  Kubernetes: {
    record: { token_types: ['id_token'] },
    isOfOneSubject: true,
    client: 'deployer',
    header: { typ: undefined },
    claims: {
      aud: ['deployer'],
      sub: 'system:serviceaccount:data:reports',
      'kubernetes.io': { namespace: 'data', serviceaccount: { name: 'reports', uid: OID } },
      jti: 'a',
    },
    sub: 'system:serviceaccount:data:reports',
    refused: { 'for the API server': [{ aud: ['https://kubernetes.default.svc'] }, RECIPIENT] },
  },
}

const service = useService()

const sign = (provider: IdentityProvider, { client, header, claims, record }: Recipe, change: Claims) => {
  const iat = Math.floor(service.clock.wall() / 1000)
  const aud = record.token_types[0] === 'id-jag' ? service.baseUrl : client
  return provider.sign({ iss: provider.issuer, aud, iat, exp: iat + 600, ...claims, ...change }, header)
}

for (const [name, recipe] of Object.entries(RECIPES)) {
  test(`${name}: a token of its subject is taken, and one that only looks like it is not`, async t => {
    const provider = await startIdentityProvider({ now: service.clock.wall })
    t.after(() => provider.close())
    const alias = name.toLowerCase().replaceAll(' ', '-')
    await trust(service, provider, { alias, parties: [], scope: 'db:read', ...recipe.record })
    const [type] = recipe.record.token_types
    const agent = await service.createAgent({
      scope: 'db:read',
      defaultScope: 'db:read',
      grantTypes: [type === 'id-jag' ? JWT_BEARER : TOKEN_EXCHANGE],
      actsFor: [recipe.isOfOneSubject === true ? `issuer:${alias}:${recipe.sub}` : `issuer:${alias}`],
      issuerClients: { [alias]: recipe.client },
    })
    const ask = async (change: Claims) => {
      const jwt = await sign(provider, recipe, change)
      return type === 'id-jag'
        ? presentIdJag(service, agent, jwt)
        : presentJwt(service, agent, jwt, { as: type, scope: 'db:read' })
    }
    const { status, json, text } = await ask({})
    assert.equal(status, 200, text)
    const { access_token, scope } = json as { readonly access_token: string; readonly scope: string }
    const { sub, act } = claimsOf(access_token)
    assert.deepEqual([sub, act, scope], [`${alias}:${recipe.sub}`, { sub: agent.agentId }, 'db:read'])
    for (const [what, [change, why]] of Object.entries(recipe.refused)) {
      const refused = await ask(change)
      assert.equal(refused.status, 400, what)
      assert.match(refused.text, why, what)
    }
  })
}
