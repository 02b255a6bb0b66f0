// DPoP with clients that nobody here wrote, unmodified, and with a resource server as docs/agents/bound-tokens.md shows one.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeEach, test } from 'node:test'
import { decodeJwt } from 'jose'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { checkProof } from '../../../../testkit/keys/check-proof.ts'
import { makeProof, makeProofKey, type ProofKey } from '../../../../testkit/keys/dpop.ts'
import { introspect, revoke } from '../../../../testkit/callers/requests.ts'
import { AUDIENCE, catchUp } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const LOOPBACK = { [oauth.allowInsecureRequests]: true } as const
const PARAMETERS = { scope: 'db:read', resource: AUDIENCE }
const ADDRESS = `${AUDIENCE}/rows`

let server: oauth.AuthorizationServer

const service = useService({ start: Date.now() })
const agent = service.agent({ dpopBound: true })
const apiKey = service.apiKey('tokens:introspect')

service.before(async () => {
  const issuer = new URL(service.baseUrl)
  const found = await oauth.discoveryRequest(issuer, { ...LOOPBACK, algorithm: 'oauth2' })
  server = await oauth.processDiscoveryResponse(issuer, found)
})

beforeEach(() => catchUp(service))

type Handle = oauth.DPoPHandle

const client = (): oauth.Client => ({ client_id: agent.clientId })

const grantOnce = async (DPoP: Handle): Promise<oauth.TokenEndpointResponse> => {
  const secret = oauth.ClientSecretBasic(agent.clientSecret)
  const response = await oauth.clientCredentialsGrantRequest(server, client(), secret, PARAMETERS, {
    ...LOOPBACK,
    DPoP,
  })
  return oauth.processClientCredentialsResponse(server, client(), response)
}

/** As its documentation has it: once more, where a nonce is asked for. */
const grant = async (DPoP: Handle): Promise<oauth.TokenEndpointResponse> => {
  try {
    return await grantOnce(DPoP)
  } catch (error) {
    if (!oauth.isDPoPNonceError(error)) throw error
    return grantOnce(DPoP)
  }
}

for (const alg of ['ES256', 'Ed25519', 'RS256', 'PS256']) {
  test(`oauth4webapi gets DPoP tokens with ${alg}: the nonce at its second try, from then on at the first`, async () => {
    const handle = oauth.DPoP(client(), await oauth.generateKeyPair(alg))
    await assert.rejects(grantOnce(handle), error => oauth.isDPoPNonceError(error))
    const first = await grantOnce(handle)
    assert.equal(first.token_type, 'dpop')
    const jkt = await handle.calculateThumbprint()
    for (const { access_token: token } of [first, await grantOnce(handle)]) {
      assert.deepEqual(decodeJwt(token)['cnf'], { jkt })
      const { json } = await introspect(service, apiKey.key, token)
      assert.deepEqual((json as { cnf: unknown }).cnf, { jkt })
    }
  })
}

test('openid-client gets a DPoP token by itself, introspects and revokes it', async () => {
  const own = await openid.discovery(new URL(service.baseUrl), agent.clientId, agent.clientSecret, undefined, {
    execute: [openid.allowInsecureRequests],
  })
  const handle = openid.getDPoPHandle(own, await openid.randomDPoPKeyPair('ES256'))
  const { access_token: token, token_type } = await openid.clientCredentialsGrant(own, PARAMETERS, { DPoP: handle })
  assert.equal(token_type, 'dpop')
  await openid.tokenRevocation(own, token)
  assert.deepEqual((await introspect(service, apiKey.key, token)).json, { active: false })
})

/** A request to a resource server with the token, as oauth4webapi sends it. */
const requestWith = async (token: string, DPoP: Handle): Promise<Request> => {
  let sent: Request | undefined
  const take = (url: string, { method, headers }: { method: string; headers: Record<string, string> }) => {
    sent = new Request(url, { method, headers })
    return Promise.resolve(new Response())
  }
  await oauth.protectedResourceRequest(token, 'GET', new URL(ADDRESS), undefined, undefined, {
    DPoP,
    [oauth.customFetch]: take,
  })
  assert.ok(sent)
  return sent
}

test("oauth4webapi's resource server takes the token with its proof, and no token without", async () => {
  const handle = oauth.DPoP(client(), await oauth.generateKeyPair('ES256'))
  const { access_token: token } = await grant(handle)
  const options = { ...LOOPBACK, requireDPoP: true }
  const claims = await oauth.validateJwtAccessToken(server, await requestWith(token, handle), AUDIENCE, options)
  assert.deepEqual(claims.cnf, { jkt: await handle.calculateThumbprint() })
  const bearer = new Request(ADDRESS, { headers: { authorization: `Bearer ${token}` } })
  await assert.rejects(oauth.validateJwtAccessToken(server, bearer, AUDIENCE, options))
  await assert.rejects(oauth.validateJwtAccessToken(server, bearer, AUDIENCE, LOOPBACK))
  const thief = oauth.DPoP(client(), await oauth.generateKeyPair('ES256'))
  await assert.rejects(oauth.validateJwtAccessToken(server, await requestWith(token, thief), AUDIENCE, options))
})

test('docs/agents/bound-tokens.md shows the check of a resource server word for word as it is tried here', () => {
  const documented = readFileSync(new URL('../../../../docs/agents/bound-tokens.md', import.meta.url), 'utf8')
  const [, code = ''] = /```ts\n(.*?)```/s.exec(documented) ?? []
  const source = readFileSync(new URL('../../../../testkit/keys/check-proof.ts', import.meta.url), 'utf8')
  assert.ok(code.length > 500 && source.endsWith(`\n\n${code}`))
})

test('the check of docs/agents/bound-tokens.md takes the proof of the key in cnf for this request and token, and no other', async () => {
  const handle = oauth.DPoP(client(), await oauth.generateKeyPair('ES256'))
  const { access_token: token } = await grant(handle)
  const { json } = await introspect(service, apiKey.key, token)
  const { jkt } = (json as { cnf: { jkt: string } }).cnf
  const proof = (await requestWith(token, handle)).headers.get('dpop') ?? ''
  const presented = { token, jkt, proof, method: 'GET', address: ADDRESS }
  assert.equal(await checkProof(presented), decodeJwt(proof).jti)

  const other = oauth.DPoP(client(), await oauth.generateKeyPair('ES256'))
  const stolen = (await requestWith(token, other)).headers.get('dpop') ?? ''
  const key: ProofKey = makeProofKey()
  const old = makeProof(key, { claims: { htm: 'GET', htu: ADDRESS, jti: randomUUID(), iat: Date.now() / 1000 - 100 } })
  for (const [wrong, why] of [
    [{ proof: stolen }, /of another key/],
    [{ jkt: `${jkt}x` }, /of another key/],
    [{ token: `${token}x` }, /for another token/],
    [{ method: 'POST' }, /for another request/],
    [{ address: `${ADDRESS}/1` }, /for another request/],
    [{ proof: old }, /iat/],
    [{ proof: `${proof.slice(0, -4)}AAAA` }, /signature/],
  ] as const) {
    await assert.rejects(checkProof({ ...presented, ...wrong }), why)
  }
  assert.equal((await revoke(service, token)).status, 200)
})
