// The package as it is published: built without types of Node, small, and typed as its README says.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { declarationsWithAny } from '../../../../testkit/packages/declarations.ts'
import { API_KEY, AUDIENCE, startPublisher } from '../../../../testkit/feed/reference-publisher.ts'

const PACKAGE = resolve(import.meta.dirname, '../..')
const ROOT = resolve(PACKAGE, '../..')
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
const SUBPATHS = ['fetch', 'express', 'fastify', 'hono', 'mcp']
/** The size of `createVerifier` and jose together. */
const GZIPPED_BYTES_MAX = 26_750

const run = promisify(execFile)
let folder = ''

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mintmark-verify-'))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await run(process.execPath, [TSC, '-p', join(PACKAGE, 'tsconfig.build.json'), '--outDir', join(folder, 'dist')])
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
})
after(() => rm(folder, { recursive: true, force: true }))

test('what is built runs without the sources, and each subpath is there', async () => {
  const imports = ['index', ...SUBPATHS.map(name => `adapters/${name}`)].map(file => `import('./dist/${file}.js')`)
  const program = `const all = await Promise.all([${imports.join(', ')}])
const verifier = all[0].createVerifier({ issuer: 'https://tokens.example', audience: 'https://api.example', mode: 'offline' })
const result = await verifier.verify('x')
console.log(JSON.stringify([all.map(one => Object.keys(one)), result.refusal]))`
  await writeFile(join(folder, 'program.js'), program)
  const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder })
  assert.deepEqual(JSON.parse(stdout), [
    [
      ['createVerifier'],
      ['metadataResponse', 'protect', 'refusalResponse', 'verifyRequest'],
      ['protectedResource', 'requireToken', 'tokenOf'],
      ['protectedResource', 'requireToken', 'tokenOf'],
      ['protectedResource', 'requireToken', 'tokenOf'],
      ['mcpTokenVerifier', 'requireMcpToken'],
    ],
    'malformed',
  ])
})

test(`with jose it has at most ${GZIPPED_BYTES_MAX} bytes, minified and gzipped, and needs nothing of Node`, async t => {
  const entry = join(folder, 'dist/index.js')
  const options = { bundle: true, minify: true, format: 'esm', platform: 'browser', write: false } as const
  const { outputFiles } = await build({ ...options, entryPoints: [entry] })
  const [file] = outputFiles
  assert.ok(file)
  const { length } = gzipSync(file.contents, { level: 9 })
  t.diagnostic(`${length} bytes`)
  assert.ok(length <= GZIPPED_BYTES_MAX, `${length} bytes`)
})

const CONSUMER = `
import { createVerifier, type Claims, type RefusalCode, type Verifier } from './dist/index.js'
import { protect } from './dist/adapters/fetch.js'

const verifier: Verifier = createVerifier({ issuer: 'https://tokens.example', audience: 'https://api.example', apiKey: 'mma_x' })
const result = await verifier.verify('token', { scopes: ['db:read'] })
if (result.ok) {
  const claims: Claims = result.claims
  const seconds: number = claims.exp
  const by: 'feed' | 'introspection' | 'signature' = result.by
  // @ts-expect-error: claims are read only.
  claims.sub = 'somebody'
  // @ts-expect-error: a verified token has no refusal.
  void result.refusal
  void [seconds, by]
} else {
  const code: RefusalCode = result.refusal
  const challenge: string | undefined = result.challenge
  // @ts-expect-error: a refused token has no claims.
  void result.claims
  // @ts-expect-error: there is no such code.
  if (result.refusal === 'nope') void 0
  void [code, challenge]
}
// @ts-expect-error: the issuer is needed.
createVerifier({ audience: 'https://api.example' })
// @ts-expect-error: there is no such mode.
createVerifier({ issuer: 'https://tokens.example', audience: 'a', mode: 'both' })
export default { fetch: protect(verifier, (request, { claims }, env: { readonly NAME: string }) => new Response(env.NAME + claims.sub + request.url)) }
`

test('its types say what a program may do with it, in a worker too', async () => {
  await writeFile(join(folder, 'consumer.ts'), CONSUMER)
  const options = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--module', 'nodenext', '--target', 'es2022']
  const libs = ['--lib', 'es2024,webworker', '--types', '']
  await run(process.execPath, [TSC, ...options, ...libs, 'consumer.ts'], { cwd: folder }).catch(
    (failure: { readonly stdout: string }) => assert.fail(failure.stdout),
  )
})

test('none of its declarations is any', async () => {
  assert.equal(declarationsWithAny(folder), null)
  const file = join(folder, 'dist/index.d.ts')
  const own = await readFile(file, 'utf8')
  // What finds none must be able to find one.
  await writeFile(file, `${own}export declare const one: readonly any[]\n`)
  assert.match(declarationsWithAny(folder) ?? '', /no-explicit-any/)
  await writeFile(file, own)
})

test('the lines of the README run as they stand, but for the addresses', async t => {
  const publisher = await startPublisher()
  t.after(() => publisher.close())
  const readme = await readFile(join(PACKAGE, 'README.md'), 'utf8')
  const [, lines = ''] = /```ts\n([^]*?)```/.exec(readme) ?? []
  const own = lines
    .replace('@mintmark/verify', './dist/index.js')
    .replace('https://tokens.example.com', publisher.issuer)
    .replace('https://orders.example/v1', AUDIENCE)
  const { token } = publisher.mint({ scope: 'orders:read' })
  const runWith = async (presented: string): Promise<string> => {
    const given = `const apiKey = ${JSON.stringify(API_KEY)}\nconst token = ${JSON.stringify(presented)}\n`
    await writeFile(join(folder, 'readme.ts'), `${own.replace(/^(import .*)$/m, `$1\n${given}`)}\nverifier.close()\n`)
    return (await run(process.execPath, ['readme.ts'], { cwd: folder })).stdout
  }
  assert.equal(await runWith(token), `${String(publisher.mint().claims['sub'])}\n`)
  assert.match(await runWith(`${token}x`), /^401 Bearer error="invalid_token".* malformed\n$/)
})
