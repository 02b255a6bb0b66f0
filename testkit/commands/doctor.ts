// Runs `mintmark doctor` and reads what it found.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { CHECK_NAMES } from '../../api/values/checks.ts'
import { startIdentityProvider } from '../identity-providers/identity-provider.ts'
import { freePorts, makeFolder, run, runAside, type Scope, serveVariables, type Variables } from './run-mintmark.ts'

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
  readonly messages: (name: string) => readonly string[]
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
    messages: name =>
      (checks.find(one => one.name === name)?.findings ?? []).map(({ what, remedy }) =>
        `${what} ${remedy ?? ''}`.trim(),
      ),
  }
}

/** The checks of the command, in their order. */
export const BY_COMMAND = CHECK_NAMES.filter(name => name !== 'reloaded_files')

/** The status of each check where all are ok but these. */
export const allOk = (...others: readonly (readonly [string, string])[]) => ({
  ...Object.fromEntries(BY_COMMAND.map(name => [name, 'ok'])),
  ...Object.fromEntries(others),
})

/** Settings that are right, with a provider that answers, and no service yet. */
export const makeInstallation = async (t: Scope) => {
  const [folder, provider, [port]] = [makeFolder(t), await startIdentityProvider(), await freePorts()]
  t.after(() => provider.close())
  const variables: Variables = {
    ...serveVariables(port),
    MINTMARK_IDP_ISSUER: provider.issuer,
    MINTMARK_IDP_AUDIENCE: provider.audience,
    MINTMARK_DRAIN_SECONDS: '0',
    MINTMARK_WORKERS: '1',
  }
  const storeFile = join(folder, '.mintmark', 'mintmark.db')
  return { folder, provider, port, variables, storeFile }
}

/** Makes an installation with a store. */
export const makeStore = async (t: Scope) => {
  const made = await makeInstallation(t)
  assert.equal(run(made.folder, ['migrate'], made.variables).status, 0)
  return made
}
