// The published package: what it holds, that it runs, and that its types suit a browser's project and one of Node.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { declarationsWithAny } from '../../../../testkit/packages/declarations.ts'
import { installPacked } from '../../../../testkit/packages/packed.ts'

const ROOT = join(import.meta.dirname, '../../../..')
let folder: string
let place: string

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'mintmark-packed-'))
  place = installPacked(folder, 'packages/client').place
})
after(() => rmSync(folder, { recursive: true }))

const run = (args: readonly string[]): { readonly status: number | null; readonly printed: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  return { status, printed: stdout + stderr }
}

/** Compiles a program that uses the package, as a project with these types does. */
const compile = (name: string, text: string, options: object): string => {
  writeFileSync(join(folder, `${name}.ts`), text)
  const compilerOptions = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, ...options }
  const config = join(folder, `tsconfig.${name}.json`)
  writeFileSync(config, JSON.stringify({ compilerOptions, files: [`${name}.ts`] }))
  return run([join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', config]).printed
}

const IN_A_BROWSER = { lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] }
const IN_NODE = { lib: ['es2024'], types: ['node'], exactOptionalPropertyTypes: true, skipLibCheck: true }

test('holds emitted JavaScript with its types, its license and its page, and no sources', () => {
  const files = readdirSync(place, { recursive: true, withFileTypes: true }).flatMap(one =>
    one.isFile() ? [join(one.parentPath, one.name).slice(place.length + 1)] : [],
  )
  assert.deepEqual(files.filter(file => !file.startsWith('dist/')).toSorted(), ['LICENSE', 'README.md', 'package.json'])
  assert.ok(files.includes('dist/client/src/index.js') && files.includes('dist/client/src/index.d.ts'))
  assert.deepEqual(
    files.filter(file => /(?<!\.d)\.ts$/.test(file)),
    [],
  )
})

test('exports what an agent and an operator call, and nothing else', () => {
  const names = 'Object.keys(await import("@mintmark/client")).join(" ")'
  const { status, printed } = run(['--input-type=module', '-e', `console.log(${names})`])
  const expected =
    'AccessToken ApiRefused ApiUnavailable TokenRefused TokenUnavailable createAdministration createTokenSource'
  assert.deepEqual([status, printed], [0, `${expected}\n`])
})

test('none of its declarations is any', () => assert.equal(declarationsWithAny(place), null))

test('its types suit a project with the types of a browser alone, checked to the last declaration', () => {
  const program = `
    import { createTokenSource, type AccessToken, type AgentRecord, createAdministration, TokenUnavailable } from '@mintmark/client'
    const source = createTokenSource({ issuer: 'https://a.example', clientId: 'x', clientSecret: 'y', fetch })
    const token: AccessToken = await source.getToken({ signal: AbortSignal.timeout(1) })
    const answer: Response = await source.fetch(new Request('https://b.example'))
    const administration = createAdministration({ url: 'https://a.example', apiKey: () => 'k', fetch })
    const agent: AgentRecord = await administration.showAgent({ path: { id: token.value } })
    for await (const { id } of administration.exportTokens({ query: { agent_id: agent.agent_id } })) console.log(id, answer)
    export const seconds = (error: unknown): number | undefined =>
      error instanceof TokenUnavailable ? error.retryAfterSeconds : undefined`
  assert.equal(compile('browser', program, IN_A_BROWSER), '')
})

test('its types refuse a parameter that is wrong or missing, and a member that no record has', () => {
  const lines = [
    "administration.createAgent({ body: { name: 'x' } })",
    'administration.showAgent({})',
    "administration.listTokens({ query: { agent: 'x' } })",
    "administration.createRevocation({ body: { reason: 'nope' } })",
    '(await administration.showStatus()).nope',
    "createTokenSource({ issuer: 'https://a.example', secret: 'x' })",
  ]
  const head = `import { type Administration, createTokenSource } from '@mintmark/client'\ndeclare const administration: Administration\n`
  const printed = compile('wrong', head + lines.join(';\n'), IN_A_BROWSER)
  const wrong = [...printed.matchAll(/^wrong\.ts\((\d+)/gm)].map(([, line]) => Number(line))
  assert.deepEqual(
    [...new Set(wrong)],
    lines.map((_, n) => n + 3),
  )
})

test('the programs of its page compile in a project of Node', () => {
  const blocks = [...readFileSync(join(place, 'README.md'), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)]
  assert.equal(blocks.length, 2)
  symlinkSync(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'))
  symlinkSync(join(ROOT, 'node_modules/undici-types'), join(folder, 'node_modules/undici-types'))
  for (const [n, [, block = '']] of blocks.entries()) assert.equal(compile(`page${n}`, block, IN_NODE), '')
})
