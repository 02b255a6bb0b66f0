// Callers who reset their connections, against a service in a process of its own.
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { askAndReset } from '../loads/reset-connections.ts'
import { fetchDescribed } from '../services/fetch-described.ts'
import { run, type Running, type Variables } from './run-mintmark.ts'

const RESETS = 1000

/** The service writes such counts each second or two. */
const LOOKS = 20
const LOOKS_APART_MS = 150

type Service = {
  readonly folder: string
  readonly variables: Variables
  readonly port: number
  readonly running: Running
}

/** Log lines of this level and above are of faults. */
const ERROR_LEVEL = 50

const isFault = (line: string): boolean =>
  !line.startsWith('{') || (JSON.parse(line) as { readonly level: number }).level >= ERROR_LEVEL

/** Waits until such callers are counted as unknown; then the service must be as before, and have logged no fault. */
export const assertOutlivesResets = async ({ folder, variables, port, running }: Service): Promise<void> => {
  const unknown = (): readonly unknown[] => {
    const { stdout, stderr } = run(folder, ['audit', 'refusals', '--source', 'unknown', '--json'], variables)
    return (JSON.parse(stdout || assert.fail(stderr)) as { data: readonly unknown[] }).data
  }
  const isCounted = async (): Promise<boolean> => {
    for (let looks = 0; looks < LOOKS; looks += 1) {
      if (unknown().length > 0) return true
      await delay(LOOKS_APART_MS)
    }
    return false
  }
  do await askAndReset(port, RESETS)
  while (!(await isCounted()))
  const health = await fetchDescribed(`http://127.0.0.1:${port}/readyz`)
  assert.equal(health.status, 200)
  const { status, stderr } = await running.stop()
  assert.equal(status, 0)
  const lines = stderr.split('\n').filter(line => line !== '')
  assert.deepEqual(lines.filter(isFault), [])
}
