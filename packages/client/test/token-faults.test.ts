// A token endpoint that hangs, lies or answers without end, metadata of somebody else, and files that hold no secret.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { TokenRefused, TokenUnavailable } from '../src/tokens/token-errors.ts'
import { createTokenSource, makeTokenSource, type TokenSourceOptions } from '../src/tokens/token-source.ts'
import { goodToken, json, type LyingServer, startLyingServer } from './lying-server.ts'
import { makeWorld } from './manual-world.ts'

const SECRET = 'mmc_+a/secret=of%us'
let server: LyingServer
let folder: string

before(async () => {
  server = await startLyingServer(goodToken())
  folder = mkdtempSync(join(tmpdir(), 'mintmark-client-'))
})
after(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const optionsOf = (options: Partial<TokenSourceOptions>): TokenSourceOptions => ({
  tokenEndpoint: `${server.url}/token`,
  clientId: 'reports',
  clientSecret: SECRET,
  ...options,
})

const ask = (options: Partial<TokenSourceOptions> = {}) => createTokenSource(optionsOf(options)).getToken()

const reasonOf = async (options: Partial<TokenSourceOptions> = {}): Promise<string> => {
  const error: unknown = await ask(options).then(
    () => undefined,
    (fault: unknown) => fault,
  )
  assert.ok(error instanceof TokenUnavailable, String(error))
  return error.reason
}

const WRONG = 'the token endpoint does not answer as one should: '

test('an answer that is none of a token endpoint is unavailable, and says in what', async () => {
  const good = { access_token: 'a.b.c', token_type: 'Bearer', expires_in: 300 }
  for (const [answer, expected] of [
    [json(200, 'null'), `${WRONG}it holds no access token`],
    [json(200, '<html>'), `${WRONG}it holds no access token`],
    [json(200, []), `${WRONG}it holds no access token`],
    [json(200, { ...good, access_token: '' }), `${WRONG}it holds no access token`],
    [json(200, { ...good, access_token: 'a\r\nX-Evil: 1' }), `${WRONG}it holds no access token`],
    [json(200, { ...good, access_token: 'a b' }), `${WRONG}it holds no access token`],
    [json(200, { ...good, access_token: 7 }), `${WRONG}it holds no access token`],
    [json(200, { ...good, token_type: 'mac' }), `${WRONG}its token is not of the type Bearer`],
    [json(200, { ...good, token_type: 'DPoP' }), `${WRONG}its token is not of the type Bearer`],
    [json(200, { ...good, expires_in: undefined }), `${WRONG}expires_in is not a positive number`],
    [json(200, { ...good, expires_in: '300' }), `${WRONG}expires_in is not a positive number`],
    [json(200, { ...good, expires_in: 0 }), `${WRONG}expires_in is not a positive number`],
    [json(200, { ...good, expires_in: -1 }), `${WRONG}expires_in is not a positive number`],
    [json(404, '<html>'), `${WRONG}status 404, and no error of OAuth`],
    [json(302, '', { location: 'http://127.0.0.1:1/elsewhere' }), `${WRONG}status 302, and no error of OAuth`],
    [json(500, ''), 'the token endpoint answers 500'],
    [json(503, { error: 'temporarily_unavailable' }), 'the token endpoint answers 503 temporarily_unavailable'],
    [json(429, { error: 'too_many_requests' }), 'the token endpoint answers 429 too_many_requests'],
  ] as const) {
    server.answerWith(answer)
    assert.equal(await reasonOf(), expected)
  }
})

test('a token that is not bound is no answer to a request with a proof', async () => {
  server.answerWith(goodToken())
  assert.equal(await reasonOf({ dpop: true }), `${WRONG}its token is not of the type DPoP`)
})

test('an answer of 65,536 bytes is read, and one byte more is not, compressed or not', async () => {
  const answerOf = (bytes: number): string => {
    const body = JSON.stringify({ access_token: 'a.b.c', token_type: 'bearer', expires_in: 60, pad: '' })
    return body.replace('"pad":""', `"pad":"${'x'.repeat(bytes - body.length)}"`)
  }
  server.answerWith(json(200, answerOf(65_536)))
  assert.equal((await ask()).value, 'a.b.c')
  server.answerWith(json(200, answerOf(65_537)))
  assert.equal(await reasonOf(), 'the answer has more than 65536 bytes')
  server.answerWith((_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      .end(gzipSync(answerOf(50_000_000))),
  )
  assert.equal(await reasonOf(), 'the answer has more than 65536 bytes')
})

test('a server that hangs, before its answer or within it, or whatever the fetch of the caller does, is given up in time', async () => {
  server.answerWith(() => undefined)
  assert.equal(await reasonOf({ timeoutMs: 50 }), 'no whole answer within 50 ms')
  server.answerWith((_, response) => response.writeHead(200).write('{'))
  assert.equal(await reasonOf({ timeoutMs: 50 }), 'no whole answer within 50 ms')
  assert.equal(
    await reasonOf({ timeoutMs: 50, fetch: () => new Promise(() => undefined) }),
    'no whole answer within 50 ms',
  )
})

test('a connection that is refused, reset or cut is unavailable', async () => {
  const gone = await startLyingServer(goodToken())
  await gone.close()
  assert.equal(await reasonOf({ tokenEndpoint: gone.url }), 'ECONNREFUSED')
  server.answerWith((_, response) => response.destroy())
  assert.match(await reasonOf(), /^(?:UND_ERR_SOCKET|ECONNRESET)$/)
  server.answerWith((_, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('{"access_token":')
    setImmediate(() => response.destroy())
  })
  assert.match(await reasonOf(), /^(?:UND_ERR_SOCKET|ECONNRESET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/)
})

test('neither a refusal nor a fault repeats a secret, in whatever spelling a server or a fetch wrote it', async () => {
  const spellings = [SECRET, encodeURIComponent(SECRET), new URLSearchParams([['', SECRET]]).toString().slice(1)]
  const description = `${spellings.join(' ')} line\nbreak \u202e \u0007${'x'.repeat(2_000)}`
  server.answerWith(json(400, { error: `invalid ${SECRET}`, error_description: description }))
  await assert.rejects(ask(), (error: unknown) => {
    assert.ok(error instanceof TokenRefused)
    assert.equal(error.error, 'invalid [redacted]')
    const text = `${error.stack} ${JSON.stringify(error)}`
    for (const spelling of spellings) assert.ok(!text.includes(spelling), spelling)
    assert.match(error.description ?? '', /^\[redacted\] \[redacted\] \[redacted\] line break +x+$/)
    assert.ok((error.description ?? '').length <= 500)
    return true
  })
  const talkative = () => Promise.reject(new Error(`could not send client_secret=${SECRET}`))
  assert.equal(await reasonOf({ fetch: talkative }), 'network fault')
})

test('an assertion and a subject token are not repeated either', async () => {
  server.answerWith((received, response) =>
    json(400, { error: 'invalid_request', error_description: received.body.replaceAll('&', ' ') })(received, response),
  )
  const workloadTokenFile = join(folder, 'workload')
  writeFileSync(workloadTokenFile, 'eyJ.of-the-platform.x')
  await assert.rejects(ask({ clientSecret: undefined, workloadTokenFile, subjectToken: 'eyJ.received.y' }), error => {
    assert.match(String(error), /client_assertion=\[redacted\] .*subject_token=\[redacted\]/)
    return error instanceof TokenRefused
  })
})

test('a function for what was received may hang, fail or return anything: nothing is sent, and its text is not repeated', async () => {
  server.answerWith(goodToken())
  const sent = server.received.length
  for (const name of ['assertion', 'subjectToken'] as const) {
    const signals: AbortSignal[] = []
    const hang = ({ signal }: { readonly signal: AbortSignal }): Promise<string> => {
      signals.push(signal)
      return new Promise(() => undefined)
    }
    const hanging = { [name]: hang, timeoutMs: 50 }
    assert.equal(await reasonOf(hanging), `${name} did not return within 50 ms`)
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true],
    )
    const faults = [new Error('sign in again'), new Error('sign in again')]
    const [first, second] = faults
    const source = createTokenSource(optionsOf({ [name]: () => Promise.reject(faults.shift() ?? new Error('none')) }))
    for (const fault of [first, second]) await assert.rejects(source.getToken(), error => error === fault)
    const noFile = {
      [name]: () => assert.fail('It is fetched in vain.'),
      clientSecret: undefined,
      clientSecretFile: 'no',
    }
    assert.match(await reasonOf(noFile), /no/)
    for (const text of ['', 'two words', undefined, { a: 1 }]) {
      const message = `What ${name} returned is not the text of a token (RFC 6750).`
      await assert.rejects(ask({ [name]: () => text as never }), { name: 'TypeError', message })
    }
  }
  assert.equal(server.received.length, sent)
  server.answerWith((received, response) =>
    json(400, { error: 'invalid_grant', error_description: received.form.get('assertion') })(received, response),
  )
  await assert.rejects(ask({ assertion: () => 'eyJ.id-jag.x' }), error => {
    assert.match(String(error), /invalid_grant \(\[redacted\]\)/)
    return error instanceof TokenRefused
  })
})

const metadataAt = (path: string, body: (url: string) => object) =>
  server.answerWith((received, response) =>
    received.path === path
      ? json(200, body(server.url))(received, response)
      : received.method === 'POST'
        ? goodToken()(received, response)
        : json(404, {})(received, response),
  )

const atIssuer = (path = '') => ({ tokenEndpoint: undefined, issuer: server.url + path })

test('metadata is read where RFC 8414 puts it, with a path in the issuer too, and asked for again after an hour', async () => {
  metadataAt('/.well-known/oauth-authorization-server/tenant', url => ({
    issuer: `${url}/tenant`,
    token_endpoint: `${url}/t`,
  }))
  const world = makeWorld()
  const source = makeTokenSource(optionsOf(atIssuer('/tenant')), world)
  const asked = server.received.length
  await source.getToken()
  world.pass(3_599_999)
  await source.getToken()
  world.pass(300_000)
  await source.getToken()
  const since = server.received.slice(asked).map(({ method }) => method)
  assert.deepEqual(since, ['GET', 'POST', 'POST', 'GET', 'POST'])
  world.pass(3_600_000)
  server.answerWith((received, response) =>
    received.method === 'GET' ? json(500, {})(received, response) : goodToken()(received, response),
  )
  assert.match((await source.getToken()).value, /^token/)
})

test('metadata of another issuer, or that names no endpoint of https, is not believed', async () => {
  const path = '/.well-known/oauth-authorization-server'
  const issuer = server.url
  for (const [metadata, expected] of [
    [
      { issuer: 'https://evil.example', token_endpoint: `${issuer}/t` },
      `the metadata at ${issuer}${path} is of the issuer "https://evil.example"; expected "${issuer}"`,
    ],
    [
      { issuer: `${issuer}/`, token_endpoint: `${issuer}/t` },
      `the metadata at ${issuer}${path} is of the issuer "${issuer}/"; expected "${issuer}"`,
    ],
    [{ issuer }, 'the metadata names no token endpoint'],
    [
      { issuer, token_endpoint: 'http://evil.example/t' },
      'the metadata names a token endpoint that is not of https: http://evil.example/t',
    ],
    [
      { issuer, token_endpoint: 'data:text/plain,x' },
      'the metadata names a token endpoint that is not of https: data:text/plain,x',
    ],
  ] as const) {
    metadataAt(path, () => metadata)
    assert.equal(await reasonOf(atIssuer()), expected)
  }
  server.answerWith(json(404, {}))
  assert.equal(await reasonOf(atIssuer()), `no metadata at ${issuer}${path} (status 404)`)
})

test('a client with a certificate goes where the metadata sends such clients', async () => {
  metadataAt('/.well-known/oauth-authorization-server', url => ({
    issuer: url,
    token_endpoint: `${url}/plain`,
    mtls_endpoint_aliases: { token_endpoint: `${url}/mtls` },
  }))
  await ask({ ...atIssuer(), clientSecret: undefined, clientCertificate: true })
  const { path, form } = server.received.at(-1) ?? assert.fail()
  assert.deepEqual(
    [path, [...form]],
    [
      '/mtls',
      [
        ['client_id', 'reports'],
        ['grant_type', 'client_credentials'],
      ],
    ],
  )
})

test('a file that is not there, too long, empty or no secret is named, and nothing of it is printed', async () => {
  const place = (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }
  const reason = (clientSecretFile: string) => reasonOf({ clientSecret: undefined, clientSecretFile })
  const named = (name: string) => `the file ${JSON.stringify(join(folder, name))}`
  server.answerWith(goodToken())
  assert.equal(await reason(join(folder, 'none')), `${named('none')} cannot be read (ENOENT)`)
  assert.equal(await reason(folder), `the file ${JSON.stringify(folder)} cannot be read (EISDIR)`)
  assert.equal(await reason(place('empty', ' \n')), `${named('empty')} is empty`)
  assert.equal(await reason(place('bytes', Uint8Array.of(0xff, 0xfe))), `${named('bytes')} is not UTF-8`)
  assert.equal(await reason(place('long', 'x'.repeat(65_537))), `${named('long')} has more than 65536 bytes`)
  const wrong = 'the client secret is not one line of 1 to 8192 characters'
  assert.equal(await reason(place('padded', 'x'.repeat(65_536))), wrong)
  assert.equal(await reason(place('lines', 'one\ntwo')), wrong)
  const workloadTokenFile = place('no-jwt', 'two words')
  assert.equal(await reasonOf({ clientSecret: undefined, workloadTokenFile }), `${named('no-jwt')} holds no JWT`)
  assert.equal(await reason('/dev/zero'), 'the file "/dev/zero" has more than 65536 bytes')
  const key = place('key', '-----BEGIN PRIVATE KEY-----\nMIIsecret\n-----END PRIVATE KEY-----')
  const expected = 'expected a private key for ES256, ES384, EdDSA, RS256 or PS256 as a JWK or PKCS #8'
  const noKey = `${named('key')} holds no key that is known here; ${expected}`
  assert.equal(await reasonOf({ clientSecret: undefined, privateKeyFile: key }), noKey)
})
