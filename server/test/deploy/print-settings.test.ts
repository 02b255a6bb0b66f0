// deploy/debian: mintmark-local has the settings of the service, which systemd reads.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../../deploy/debian/print-settings.ts'
import { readText } from '../../../testkit/sources/source-files.ts'

/** Each line, and the value that systemd 252 gave a service for it. */
const VALUES: readonly (readonly [line: string, value: string])[] = [
  ['A=ab#cd', 'ab#cd'],
  ['A="x y" # c', 'x y# c'],
  ["A='$HOME'", '$HOME'],
  ['A=a\\ b', 'a b'],
  ['A=a\\\nb', 'ab'],
  [' A = spaced ', 'spaced'],
  ['A="q\\"x\\$y\\n"', 'q"x$y\\n'],
  ['A=`x`', '`x`'],
  ['A=x"y"z', 'x"y"z'],
  ['A=  lead trail  ', 'lead trail'],
  ['A="a""b"', 'ab'],
  ['A=', ''],
  ['A=é', 'é'],
]

test('a setting is what systemd reads from its line', () => {
  for (const [line, value] of VALUES) {
    assert.deepEqual(readSettings(line), { A: value }, line)
    assert.deepEqual(readSettings(`; comment\n${line}\n\n# B=1\nC=2`), { A: value, C: '2' }, line)
  }
  assert.deepEqual(readSettings('export A=1\n1A=2\nB\n'), {})
})

test('mintmark-local reads the settings before it gives up root, and they come after its own', () => {
  const command = readText('deploy/debian/mintmark-local')
  assert.match(command, /export MINTMARK_[^]*print-settings\.mts <\/etc\/mintmark\/mintmark\.env[^]*exec setpriv/)
  assert.doesNotMatch(command, /--env-file/)
})
