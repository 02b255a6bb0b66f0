// examples/siem/send-audit-log.sh, as docs/run/siem.md shows it: each entry of the audit log is in the file once, whenever it is killed.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { makeFolder, scopeOfFile } from '../../../../testkit/commands/run-mintmark.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { REPOSITORY } from '../../../../testkit/sources/source-files.ts'

const PROGRAM = join(REPOSITORY, 'examples/siem/send-audit-log.sh')
const KILLS = 25

const scope = scopeOfFile()
const service = useService()
const reader = service.apiKey('audit:read')

let folder = ''
beforeEach(() => {
  folder = makeFolder(scope)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const cursorOf = (): string => join(folder, 'cursor')
const fileOf = (): string => join(folder, 'audit.ndjson')

/** Starts the program; its group is killed after so many milliseconds. */
const send = async (killedAfterMs?: number, key = reader.key): Promise<number | null> => {
  const env = { ...process.env, MINTMARK_URL: service.baseUrl, MINTMARK_API_KEY: key }
  const child = spawn(PROGRAM, [cursorOf(), fileOf()], { env, stdio: 'ignore', detached: true })
  const ended = once(child, 'close') as Promise<[number | null]>
  if (killedAfterMs !== undefined) {
    await Promise.race([delay(killedAfterMs), ended])
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
  return (await ended)[0]
}

const act = (): Promise<unknown> => service.createAgent()

const numbersIn = (text: string): readonly number[] =>
  text
    .trimEnd()
    .split('\n')
    .map(line => (JSON.parse(line) as { readonly n: number }).n)

/** That the file holds all entries, in order, each once. */
const assertWhole = async (): Promise<void> => {
  const response = await fetch(`${service.baseUrl}/api/v1/exports/audit`, { headers: { 'x-api-key': reader.key } })
  assert.deepEqual(numbersIn(readFileSync(fileOf(), 'utf8')), numbersIn(await response.text()).toReversed())
}

test('each run sends what is new, and none of it twice', async () => {
  await act()
  assert.equal(await send(), 0)
  await assertWhole()
  assert.equal(await send(), 0)
  await act()
  assert.equal(await send(), 0)
  await assertWhole()
})

test('what a killed run appended is not sent again, and what it half wrote is written whole', async () => {
  assert.equal(await send(), 0)
  cpSync(cursorOf(), join(folder, 'before'))
  await act()
  await act()
  assert.equal(await send(), 0)
  const lines = readFileSync(fileOf(), 'utf8').trimEnd().split('\n')
  // Killed before the cursor moved, and in the middle of the last line.
  cpSync(join(folder, 'before'), cursorOf())
  writeFileSync(fileOf(), `${lines.slice(0, -1).join('\n')}\n${lines.at(-1)?.slice(0, 30)}`)
  assert.equal(await send(), 0)
  await assertWhole()
})

test('killed at any moment, it loses nothing and sends nothing twice', async () => {
  for (let kill = 0; kill < KILLS; kill += 1) {
    await act()
    await send(kill * 5)
  }
  assert.equal(await send(), 0)
  await assertWhole()
})

test('two runs at once send each entry once', async () => {
  await act()
  assert.deepEqual(await Promise.all([send(), send(), send()]), [0, 0, 0])
  await assertWhole()
})

test('a run that is refused, or has a damaged cursor, sends nothing and says so', async () => {
  assert.equal(await send(), 0)
  await act()
  const before = readFileSync(fileOf(), 'utf8')
  assert.notEqual(await send(undefined, 'mma_wrong'), 0)
  cpSync(cursorOf(), join(folder, 'good'))
  for (const damaged of ['', '7', '7 2026-11-30T08:00:00.000Z', 'x y z\n']) {
    writeFileSync(cursorOf(), damaged)
    assert.equal(await send(), 1, damaged)
  }
  assert.equal(readFileSync(fileOf(), 'utf8'), before)
  cpSync(join(folder, 'good'), cursorOf())
  assert.equal(await send(), 0)
  await assertWhole()
})

test('a log that lacks what was sent is another log, and nothing of it is sent', async () => {
  assert.equal(await send(), 0)
  const [, at = '', since = ''] = readFileSync(cursorOf(), 'utf8').trim().split(' ')
  writeFileSync(cursorOf(), `100000 ${at} ${since}\n`)
  rmSync(fileOf())
  appendFileSync(fileOf(), '')
  assert.equal(await send(), 1)
  assert.equal(readFileSync(fileOf(), 'utf8'), '')
})
