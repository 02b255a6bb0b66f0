// Arguments that no person types: what a terminal would obey, and bytes that are no text.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { KEY, makeFolder, PROGRAM, run, runShell } from '../../../../testkit/commands/run-mintmark.ts'

const makeStore = (t: TestContext): string => {
  const folder = makeFolder(t)
  assert.equal(run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: KEY }).status, 0)
  return folder
}

const create = (name: string): readonly string[] => ['agent', 'create', '--scope', 'db:read', '--name', name]

test('a wrong usage repeats nothing that a terminal would obey', t => {
  const folder = makeFolder(t)
  const wrong: readonly (readonly string[])[] = [
    ['\u001B]0;title\u0007'],
    ['\u202Etnega'],
    ['agent', 'list', '--\u001B[31m'],
    ['agent', '\u009B31m'],
    [...create('a'), '--label', '\u001B[2J'],
  ]
  for (const args of wrong) {
    const { status, stdout, stderr } = run(folder, args)
    assert.deepEqual([status, stdout], [2, ''], JSON.stringify(args))
    assert.match(stderr, /^mintmark: .*\\u(?:001b|202e|009b)/)
    assert.doesNotMatch(stderr.replaceAll('\n', ''), /[\p{Cc}\u202E]/u)
  }
})

test('bytes that are not UTF-8 are refused: two names would become one', t => {
  const folder = makeStore(t)
  for (const bytes of ['\\xff\\xfe', '\\xfe\\xff', 's\\xed\\xa0\\x80', '\\xc0\\x80']) {
    const command = `'${process.execPath}' '${PROGRAM}' agent create --scope db:read --name $'${bytes}'`
    assert.deepEqual(runShell(folder, command), {
      status: 2,
      stdout: '',
      stderr: 'mintmark: An argument is not UTF-8, or contains U+FFFD, which stands for what is not.\n',
    })
  }
  assert.equal((JSON.parse(run(folder, ['agent', 'list', '--json']).stdout) as { data: unknown[] }).data.length, 0)
})
