// A project that uses the packages as they are published, compiled to the last declaration.
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPacked } from './packed.ts'

const MODULES = join(import.meta.dirname, '../../node_modules')
const COMPILER = join(MODULES, 'typescript/bin/tsc')

const RESOLUTIONS = [
  { moduleResolution: 'bundler', module: 'esnext' },
  { moduleResolution: 'nodenext', module: 'nodenext' },
] as const

const DOM = ['dom', 'dom.iterable', 'dom.asynciterable']
const ENVIRONMENTS = {
  'a browser': { lib: ['es2024', ...DOM], types: [] },
  'a worker': { lib: ['es2024', 'webworker', 'webworker.iterable'], types: [] },
  Node: { lib: ['es2024'], types: ['node'] },
} as const

// Each subpath is imported, and each export of value called as its page says. What must not compile says so.
const PROGRAM = `
import {
  AccessToken, ApiRefused, ApiUnavailable, createAdministration, createTokenSource, TokenRefused, TokenUnavailable,
  type Administration, type AgentRecord, type TokenSource, type TokenSourceOptions,
} from '@mintmark/client'
import { createVerifier, type Claims, type Refused, type Status, type Verified, type Verifier, type VerifierOptions } from '@mintmark/verify'
import * as express from '@mintmark/verify/express'
import * as fastify from '@mintmark/verify/fastify'
import { metadataResponse, protect, refusalResponse, verifyRequest } from '@mintmark/verify/fetch'
import * as hono from '@mintmark/verify/hono'
import { mcpTokenVerifier, requireMcpToken } from '@mintmark/verify/mcp'

/** Whether a type is any: 0 extends 1 & T of no other type. */
type IsAny<T> = 0 extends 1 & T ? true : false
const isNotAny = <T>(_: IsAny<T> extends true ? never : T): void => undefined

const options: TokenSourceOptions = { issuer: 'https://a.example', clientId: 'x', clientSecret: 'y', scopes: ['db:read'], fetch }
const source: TokenSource = createTokenSource(options)
const token: AccessToken = await source.getToken({ signal: AbortSignal.timeout(1000) })
const answer: Response = await source.fetch('https://b.example', { method: 'POST', body: 'x' })
isNotAny<AccessToken>(token)
isNotAny<Response>(answer)
source.invalidate(token)
// @ts-expect-error: an issuer is a text.
createTokenSource({ clientId: 'x', clientSecret: 'y', issuer: 1 })

const administration: Administration = createAdministration({ url: 'https://a.example', apiKey: async () => 'k' })
const agent: AgentRecord = await administration.showAgent({ path: { id: 'x' } })
isNotAny<AgentRecord>(agent)
isNotAny<string>(agent.agent_id)
for await (const one of administration.listTokens({ query: { agent_id: agent.agent_id } })) isNotAny<string>(one.id)
for await (const one of administration.exportHistory({ query: { agent_id: agent.agent_id } })) isNotAny<string>(one.id)
export const describe = (error: unknown): string | number | undefined => {
  if (error instanceof TokenRefused || error instanceof ApiRefused) return error.error
  if (error instanceof TokenUnavailable || error instanceof ApiUnavailable) return error.retryAfterSeconds
  return undefined
}

const given: VerifierOptions = { issuer: 'https://a.example', audience: ['https://b.example'], apiKey: 'k', mode: 'feed' }
const verifier: Verifier = createVerifier({ ...given, hooks: { failed: problem => console.log(problem) }, fetch })
const status: Status = await verifier.ready()
isNotAny<Status>(status)
const result: Verified | Refused = await verifier.verify(token.value, { scopes: ['db:read'] })
if (result.ok) isNotAny<Claims>(result.claims)
else isNotAny<Response>(refusalResponse(result))
// @ts-expect-error: absent is not undefined.
createVerifier({ ...given, apiKey: undefined })
// @ts-expect-error: there is no such mode.
createVerifier({ ...given, mode: 'both' })

const scopes = ['db:read']
export const guarded = protect(verifier, (request, { claims }, env: { readonly NAME: string }) => new Response(env.NAME + claims.sub + request.url), { scopes })
export const checked: Verified | Refused = await verifyRequest(verifier, new Request('https://b.example'), { scopes })
export const metadata = metadataResponse(verifier, new Request('https://b.example'), { scopes_supported: scopes })
export const guards = [
  express.requireToken(verifier, { scopes }), express.protectedResource(verifier), fastify.requireToken(verifier, { scopes }),
  fastify.protectedResource(verifier), hono.requireToken(verifier, { scopes }), hono.protectedResource(verifier), requireMcpToken(verifier, { scopes }),
]
export const claimsOf = (request: object): readonly Claims[] => [express, fastify, hono].map(one => one.tokenOf(request).claims)
const mcp = mcpTokenVerifier(verifier, { InvalidTokenError: Error, ServerError: Error })
isNotAny<string>((await mcp.verifyAccessToken(token.value)).clientId)
verifier.close()
`

const installAll = (folder: string, workspaces: readonly string[]): void => {
  for (const workspace of workspaces) installPacked(folder, workspace)
  for (const name of ['@types', 'undici-types']) symlinkSync(join(MODULES, name), join(folder, 'node_modules', name))
}

/** What the compiler says in each kind of project; null where it is content. */
export const checkConsumer = (
  folder: string,
  workspaces: readonly string[],
): readonly { readonly what: string; readonly fault: string | null }[] => {
  mkdirSync(folder)
  installAll(folder, workspaces)
  writeFileSync(join(folder, 'consumer.ts'), PROGRAM)
  return RESOLUTIONS.flatMap(resolution =>
    Object.entries(ENVIRONMENTS).map(([environment, own]) => {
      const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true }
      const compilerOptions = { ...resolution, ...own, ...strict, target: 'es2024' }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
      const options = { cwd: folder, encoding: 'utf8' } as const
      const { status, stdout, stderr } = spawnSync(process.execPath, [COMPILER, '-p', folder], options)
      const what = `types by ${resolution.moduleResolution} in ${environment}`
      return { what, fault: status === 0 ? null : (stdout + stderr).trim() }
    }),
  )
}
