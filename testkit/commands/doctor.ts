// Runs `mintmark doctor` and reads what it found.
import assert from 'node:assert/strict'
import { runAside, type Variables } from './run-mintmark.ts'

type Finding = { readonly status: string; readonly what: string; readonly remedy: string | null }

type Check = { readonly name: string; readonly status: string; readonly findings: readonly Finding[] }

export type Examined = {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly status: string
  readonly checks: readonly Check[]
  /** The status of each check by its name. */
  readonly statuses: Readonly<Record<string, string>>
  /** What each finding of a check says, with its remedy. */
  readonly told: (name: string) => readonly string[]
}

/** Runs it with --json while this process goes on. Fails where a finding lacks what a person needs. */
export const examine = async (folder: string, variables: Variables, ...args: readonly string[]): Promise<Examined> => {
  const { status: exitCode, stdout, stderr } = await runAside(folder, ['doctor', '--json', ...args], { variables })
  const { status, checks } = JSON.parse(stdout) as { readonly status: string; readonly checks: readonly Check[] }
  for (const { name, findings } of checks) {
    assert.ok(findings.length > 0, name)
    for (const one of findings) {
      assert.match(one.what, /^\S.*[.!?]$/s, `${name}: ${one.what}`)
      assert.equal(one.status === 'ok', one.remedy === null, `${name}: ${one.what}`)
      assert.notEqual(one.remedy, '', `${name}: ${one.what}`)
    }
  }
  return {
    exitCode,
    stdout,
    stderr,
    status,
    checks,
    statuses: Object.fromEntries(checks.map(one => [one.name, one.status])),
    told: name =>
      (checks.find(one => one.name === name)?.findings ?? []).map(({ what, remedy }) =>
        `${what} ${remedy ?? ''}`.trim(),
      ),
  }
}
