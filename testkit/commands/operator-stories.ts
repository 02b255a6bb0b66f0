// The stories of operators in the docs: blocks of commands with what they print, run again in a world of their own.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { makeNotingProgram, takeNotedCall } from './noted-call.ts'
import { environment, KEY, run, type Scope, type Variables } from './run-mintmark.ts'
import { issue, type Serving, startServing } from './serving.ts'

const TRANSCRIPT = /^```console\n([\s\S]*?)^```$/gm

/** The transcripts of a page, without their fences. */
export const transcriptsOf = (page: string): readonly string[] =>
  [...page.matchAll(TRANSCRIPT)].map(([, block = '']) => block)

export const commandsOf = (block: string): readonly string[] =>
  block
    .split('\n')
    .filter(line => line.startsWith('$ '))
    .map(line => line.slice(2))

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/** What stays where ids, times, keys, secrets, users and the widths of columns are others. */
export const shapeOf = (block: string): string =>
  block
    .replaceAll(UUID, 'ID')
    .replaceAll(TIME, 'TIME')
    .replaceAll(/mmc_[\w…]+/g, 'SECRET')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
    .replaceAll(/(?<= )[23]\d\d(?= |$)/gm, 'SECONDS')
    .replaceAll(/\bcli \S+/g, 'cli USER')
    .replaceAll(/(?<![\w-])[\w-]{43}(?![\w-])/g, 'KID')
    .replaceAll(/^(n +at .*\n)\d+ /gm, '$1N ')
    .replaceAll(/ {2,}/g, ' ')

const makeAgent = ({ json }: Serving, name: string, owner: string) => {
  const settings = ['--name', name, '--owner', owner, '--scope', 'db:read', '--default-scope', 'db:read']
  return json('agent', 'create', ...settings) as Parameters<typeof issue>[1]
}

const git = (folder: string, ...args: readonly string[]): void => {
  const { status, stderr } = spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
}

/** A secret and a token of an agent, in a commit that a later one reverted. */
const makeLeak = (folder: string, secret: string, token: string): void => {
  git(folder, 'init', '--quiet')
  for (const text of [`SECRET=${secret}\nTOKEN=${token}\n`, 'SECRET=\n']) {
    writeFileSync(join(folder, 'settings.env'), text)
    git(folder, 'add', 'settings.env')
    git(folder, 'commit', '--quiet', '-m', 'settings')
  }
}

/** Types lines as a person would on the machine of the store, and returns what is printed. */
export const typeBeside = ({ folder, url }: Serving, more: Variables = {}) => {
  const bin = join(folder, 'bin')
  makeNotingProgram(bin)
  const env = environment({
    MINTMARK_BASE_URL: url,
    MINTMARK_KEY_ENCRYPTION_KEY: KEY,
    PATH: [bin, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    HOME: folder,
    ...more,
  })
  return (line: string): string => {
    const typed = spawnSync('sh', ['-c', line], { cwd: folder, env, encoding: 'utf8' })
    const printed = typed.stdout + typed.stderr
    if (!line.startsWith('mintmark ')) return printed
    const { args, variables, input } = takeNotedCall(folder)
    const { stdout, stderr } = run(folder, args, variables, input)
    return printed + stdout + stderr
  }
}

/** How many tokens the story shows. */
const RUNAWAY_TOKENS = 30

const makeWorld = async (t: Scope) => {
  const serving = await startServing(t)
  const { folder, json } = serving
  const tokenOf = async (agent: ReturnType<typeof makeAgent>) =>
    String((await issue(serving, agent)).body['access_token'])
  const runaway = makeAgent(serving, 'runaway', 'Bo')
  for (let n = 0; n < RUNAWAY_TOKENS; n += 1) await tokenOf(runaway)
  const reports = makeAgent(serving, 'reports', 'Cy')
  makeLeak(folder, reports.client_secret, await tokenOf(reports))
  const stopped = makeAgent(serving, 'crawler', 'Bo')
  writeFileSync(join(folder, 'token.txt'), await tokenOf(stopped))
  json('agent', 'disable', 'crawler', '--note', 'ticket 4711', '--yes')
  for (const name of ['billing', 'mailer']) await tokenOf(makeAgent(serving, name, 'Ada'))
  // Counts of use are written each second or two.
  const written = `"tokens_last_minute":${RUNAWAY_TOKENS}`
  while (!JSON.stringify(json('top')).includes(written)) await delay(200)
  return typeBeside(serving)
}

export type Retold = { readonly block: string; readonly seconds: number }

/** Runs the commands of each block, one block after another, and returns the blocks as they come out. */
export const retell = async (t: Scope, blocks: readonly string[]): Promise<readonly Retold[]> => {
  const type = await makeWorld(t)
  return blocks.map(block => {
    const began = performance.now()
    const retold = commandsOf(block).map(line => `$ ${line}\n${type(line)}`)
    return { block: retold.join(''), seconds: (performance.now() - began) / 1000 }
  })
}
