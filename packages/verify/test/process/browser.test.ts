// The package in a real browser, in a page of another origin than the service: mode `offline` works, and the others refuse.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { build } from 'esbuild'
import { issue } from '../../../../testkit/callers/requests.ts'
import { endChild } from '../../../../testkit/processes/end-child.ts'
import { findProgram } from '../../../../testkit/processes/find-program.ts'
import { AUDIENCE, catchUp, startServer } from '../../../../testkit/services/test-server.ts'

/** The package, as the page has it. */
const MODULE = '/verify.js'
const SOURCE = resolve(import.meta.dirname, '../../src/index.ts')
const CHROMIUM = findProgram('chromium') ?? findProgram('google-chrome')
const SKIPPED = CHROMIUM === undefined ? 'There is no chromium on this machine.' : false

const pageOf = (settings: object): string => `<!doctype html><title>An application</title><script type="module">
const { createVerifier } = await import(${JSON.stringify(MODULE)})
const { tokens, ...options } = ${JSON.stringify(settings)}
const said = []
for (const mode of [{ mode: 'offline' }, { mode: 'feed', whenStale: 'refuse' }, { mode: 'introspect' }]) {
  const verifier = createVerifier({ ...options, ...mode })
  for (const token of tokens) {
    const result = await verifier.verify(token)
    said.push(result.ok ? [result.by, result.claims.sub] : [result.refusal, result.status])
  }
  verifier.close()
}
await fetch('/said', { method: 'POST', body: JSON.stringify(said) })
</script>`

/** A page with the package as a module, and what it said once it has. */
const servePage = async (t: TestContext, settings: object) => {
  const options = { bundle: true, format: 'esm', platform: 'browser', write: false } as const
  const { outputFiles } = await build({ ...options, entryPoints: [SOURCE] })
  const { promise: said, resolve: say } = Promise.withResolvers<unknown>()
  const take = async (request: IncomingMessage): Promise<void> => say(JSON.parse(await text(request)))
  const server = createServer((request, response) => {
    if (request.url === '/said') void take(request)
    const isScript = request.url === MODULE
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? outputFiles[0]?.contents : pageOf(settings))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, said }
}

const openInBrowser = async (t: TestContext, url: string): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-browser-'))
  // Its sandbox needs namespaces, which a container may refuse.
  const args = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${folder}`, '--remote-debugging-port=0']
  const browser = spawn(CHROMIUM ?? '', [...args, url], { stdio: 'ignore' })
  t.after(async () => {
    await endChild(browser, 'SIGTERM')
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  })
}

test('in a page of another origin mode offline verifies tokens, and the modes that need an API key accept none', {
  skip: SKIPPED,
}, async t => {
  const service = await startServer()
  t.after(service.close)
  catchUp(service) // the browser reads the clock of the machine
  const agent = await service.createAgent()
  const { key: apiKey } = await service.createApiKey('tokens:introspect')
  const token = await issue(service, agent)
  const [header, payload] = token.split('.')
  const [, , otherSignature] = (await issue(service, agent)).split('.')
  const tokens = [token, `${header}.${payload}.${otherSignature}`]
  const { url, said } = await servePage(t, { issuer: service.baseUrl, audience: AUDIENCE, apiKey, tokens })
  await openInBrowser(t, url)
  assert.deepEqual(await said, [
    ['signature', agent.agentId],
    ['bad_signature', 401],
    ['stale', 503],
    ['bad_signature', 401],
    ['introspection_unavailable', 503],
    ['introspection_unavailable', 503],
  ])
})
