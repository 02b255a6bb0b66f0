// mintmark doctor of an embedded store that is not as it should be, and of files that others can read.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Database } from '../../../src/store/sqlite/connection/database.ts'
import { examine, makeInstallation, makeStore } from '../../../../testkit/commands/doctor.ts'
import { run } from '../../../../testkit/commands/run-mintmark.ts'
import { PROGRAM_VERSION } from '../../../src/store/sqlite/schema/migrations.ts'
import { openBeside } from '../../../../testkit/stores/store-file.ts'

/** Changes the store with another hand than the program's. */
const alter = (file: string, work: (db: Database) => unknown): void => {
  const db = openBeside(file)
  work(db)
  db.close()
}

const STORES: readonly (readonly [string, (file: string) => void, string, RegExp])[] = [
  [
    'no file',
    file => writeFileSync(`${file}-elsewhere`, ''),
    'store',
    /mintmark\.db does not exist\. Run 'mintmark migrate' first/,
  ],
  [
    'an empty file',
    file => writeFileSync(file, ''),
    'schema',
    /^The store has no tables yet\. Run `mintmark migrate`\.$/,
  ],
  [
    'a file of another kind',
    file => writeFileSync(file, 'x'.repeat(8192)),
    'store',
    /cannot be read as a store \(.*not a database/,
  ],
  ['a folder', file => mkdirSync(file), 'store', /is no file\. Correct MINTMARK_DATA_DIR or DATABASE_URL/],
]

for (const [what, make, check, expected] of STORES) {
  test(`doctor where there is ${what} in place of the store`, async t => {
    const { folder, variables, storeFile } = await makeInstallation(t)
    mkdirSync(join(folder, '.mintmark'), { mode: 0o700 })
    make(storeFile)
    if (what === 'an empty file') chmodSync(storeFile, 0o600)
    const { exitCode, statuses, messages } = await examine(folder, variables)
    assert.deepEqual([exitCode, statuses[check]], [1, 'problem'])
    assert.match(messages(check).join(), expected)
    assert.equal(statuses['clock'], 'warning')
  })
}

test('doctor and stats of a restored store say that its agents are refused, and what to do, until they are accepted', async t => {
  const { folder, variables } = await makeStore(t)
  const mintmark = (line: string) => {
    const { status, stdout, stderr } = run(folder, line.split(' '), variables)
    assert.equal(status, 0, stderr)
    return stdout
  }
  mintmark('agent create --name a --scope db:read')
  mintmark('issuer create --alias idp --issuer https://idp.example --type id_token --scope db:read')
  mintmark('backup b.db')
  assert.match(mintmark('stats'), /agents_suspended +0\n/)
  mintmark('restore b.db --replace --yes')
  const { statuses, messages } = await examine(folder, variables)
  assert.equal(statuses['suspensions'], 'warning')
  const said = /suspended agents, .* refused until `mintmark restore accept`\..*End again what was disabled/s
  assert.match(messages('suspensions').join(), said)
  assert.match(messages('suspensions').join(), /Of agents 1, of credentials 1, of API keys 0, of trusted issuers 1\./)
  assert.match(mintmark('stats'), said)
  assert.match(mintmark('stats'), /agents_suspended +1\n.*issuers_suspended +1\n/s)
  mintmark('restore accept --agent a --yes')
  assert.match(mintmark('stats'), said)
  mintmark('restore accept --issuer idp --yes')
  assert.equal((await examine(folder, variables)).statuses['suspensions'], 'ok')
  assert.doesNotMatch(mintmark('stats'), /refused until/)
})

/** The version of a program that comes after this one. */
const LATER = PROGRAM_VERSION + 1

const ALTERED: readonly (readonly [string, (db: Database) => unknown, string, 'problem' | 'warning', RegExp])[] = [
  [
    'an older schema',
    db => db.exec(`delete from migration where version = ${PROGRAM_VERSION}`),
    'schema',
    'problem',
    new RegExp(
      `^The store is at version ${PROGRAM_VERSION - 1}, and this program needs ${PROGRAM_VERSION}\\. Make a backup, `,
    ),
  ],
  [
    'a newer schema on which this program runs',
    db => db.exec(`insert into migration values (${LATER}, 'later', ${PROGRAM_VERSION}, 0)`),
    'schema',
    'warning',
    new RegExp(
      `^The store is at version ${LATER}, and this program writes ${PROGRAM_VERSION}, which still works\\. Finish`,
    ),
  ],
  [
    'a newer schema',
    db => db.exec(`insert into migration values (${LATER}, 'later', ${LATER}, 0)`),
    'schema',
    'problem',
    new RegExp(
      `${LATER}, which programs older than version ${LATER} must not use; this one is of ${PROGRAM_VERSION}\\. Run`,
    ),
  ],
  [
    'the mark of a backup',
    db => db.pragma('application_id = 0x4d4d424b'),
    'store',
    'problem',
    /is a backup, not a store\./,
  ],
  ['the mark of a move', db => db.pragma('application_id = 0x4d4d4d56'), 'store', 'problem', /set DATABASE_URL/i],
  [
    'a service row of dev',
    db => db.exec(`update service set made_by = 'dev'`),
    'store',
    'problem',
    /^The store was made by `mintmark dev`.* Set MINTMARK_DATA_DIR to another folder/,
  ],
  [
    'a lease of an hour ahead',
    db => db.prepare('update service set clock_lease = ?').run(Date.now() + 3_600_000),
    'clock',
    'problem',
    /^The clock is 3\d\d\d s behind the time that the store has answered with\. `mintmark serve` does not start\. Correct the clock\. If it is right, stop the service and run `mintmark clock reset`/,
  ],
  [
    'a lease of half a minute ahead',
    db => db.prepare('update service set clock_lease = ?').run(Date.now() + 30_000),
    'clock',
    'warning',
    /^The clock is \d\d s behind the time that the store has answered with\. Correct the clock\./,
  ],
  [
    'no signing key',
    db => db.exec('delete from signing_key'),
    'key_encryption_key',
    'problem',
    /holds no signing key\./,
  ],
  [
    'a signing key that was changed',
    db => db.exec('update signing_key set sealed_private_key = zeroblob(length(sealed_private_key))'),
    'key_encryption_key',
    'problem',
    /was changed in the store since it was sealed\. Restore the store from a backup\./,
  ],
]

for (const [what, change, check, status, expected] of ALTERED) {
  test(`doctor of a store with ${what}`, async t => {
    const { folder, variables, storeFile } = await makeStore(t)
    alter(storeFile, change)
    const { statuses, messages, exitCode } = await examine(folder, variables)
    assert.equal(statuses[check], status)
    assert.match(messages(check).join(), expected)
    assert.equal(exitCode, status === 'problem' ? 1 : 0)
  })
}

test('doctor reports files in the data folder that other users can read or change', async t => {
  const { folder, variables, storeFile } = await makeStore(t)
  const data = join(folder, '.mintmark')
  writeFileSync(join(data, 'dev.env'), 'export X=1')
  for (const [path, mode, status, expected] of [
    [storeFile, 0o644, 'warning', /can read .*mintmark\.db \(mode 0644\)\. Run: chmod 600 /],
    [storeFile, 0o602, 'problem', /can change .*mintmark\.db \(mode 0602\)\./],
    [join(data, 'dev.env'), 0o604, 'warning', /can read .*dev\.env/],
    [data, 0o777, 'problem', /can replace files in .*\.mintmark \(mode 0777\)\. Run: chmod o-w/],
  ] as const) {
    const kept = statSync(path).mode
    chmodSync(join(data, 'dev.env'), 0o600)
    chmodSync(path, mode)
    const { statuses, messages } = await examine(folder, variables)
    chmodSync(path, kept)
    assert.equal(statuses['private_files'], status, path)
    assert.match(messages('private_files').join(), expected)
  }
})
