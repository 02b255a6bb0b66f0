// Tokens that are pasted or piped, never typed as an argument: mintmark token show, revoke and introspect.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { after, test } from 'node:test'
import { run, runAlone } from '../../../../testkit/commands/run-mintmark.ts'
import { createAgent, idOf, issue, makeBoth, startServing } from '../../../../testkit/commands/serving.ts'
import { CommandFailed } from '../../../src/cli/terminal/exit.ts'
import { readPastedToken } from '../../../src/cli/terminal/pasted-token.ts'

const serving = await startServing({ after })

const issueOne = async (): Promise<string> => String((await issue(serving, createAgent(serving))).body['access_token'])

/** As a paste from a mail brings it: indented, and folded into lines. */
const folded = (token: string): string => `\r\n  ${token.replaceAll(/(.{60})/g, '$1\r\n   ')}\n\n`

test('a piped token is shown, introspected and revoked by what it says it is, on the store and by --url', async t => {
  const { both } = makeBoth(t, serving, 'tokens:read', 'tokens:introspect', 'tokens:revoke')
  const token = await issueOne()
  for (const dash of [[], ['-']]) {
    for (const verb of ['show', 'introspect']) {
      for (const { status, stdout, stderr } of await both(['token', verb, ...dash, '--json'], folded(token))) {
        assert.equal(status, 0, stderr)
        assert.match(stdout, new RegExp(`"(?:id|jti)":"${idOf(token)}"`))
      }
    }
  }
  const [asked] = await both(['token', 'revoke'], token)
  assert.equal(asked.status, 2)
  assert.ok(asked.stderr.startsWith(`mintmark: This ends the token ${idOf(token)}: 1 token, active`), asked.stderr)
  for (const { status, stdout } of await both(['token', 'revoke', '-', '--yes', '--json'], folded(token))) {
    assert.deepEqual([status, (JSON.parse(stdout) as Record<string, unknown>)['state']], [0, 'ended'])
  }
})

test('a token is explained by its id and as it is piped, and a text that is none says what it is', async t => {
  const { both } = makeBoth(t, serving, 'tokens:read', 'tokens:introspect', 'tokens:revoke')
  const token = await issueOne()
  const codes = async (args: readonly string[], input?: string): Promise<readonly unknown[]> =>
    (await both(['token', 'explain', ...args, '--json'], input)).map(({ status, stdout, stderr }) => {
      assert.equal(status, 0, stderr)
      return (JSON.parse(stdout) as Record<string, unknown>)['code']
    })
  assert.deepEqual(await codes([idOf(token)]), ['active', 'active'])
  for (const dash of [[], ['-']]) assert.deepEqual(await codes(dash, folded(token)), ['active', 'active'])
  assert.deepEqual(await codes(['-'], idOf(token)), ['active', 'active'])
  for (const pasted of [
    `Bearer ${token}`,
    `'Authorization: Bearer ${folded(token)}'`,
    `"${token}"`,
    `"${idOf(token)}"`,
  ]) {
    assert.deepEqual(await codes(['-'], pasted), ['active', 'active'], pasted)
  }
  assert.deepEqual(await codes(['-'], forged(token)), ['foreign', 'foreign'])
  assert.deepEqual(await codes(['-'], `${token}=`), ['other_spelling', 'other_spelling'])
  assert.deepEqual(await codes(['-'], 'nothing-of-the-kind'), ['malformed', 'malformed'])
  await both(['token', 'revoke', idOf(token), '--yes'])
  assert.deepEqual(await codes([idOf(token)]), ['manual_revocation', 'manual_revocation'])
  for (const { stdout } of await both(['token', 'explain', '-'], token)) {
    assert.match(stdout, /^Not active: manual_revocation\.\n\ncheck +outcome +evidence\nform +passed/)
    assert.match(stdout, /\nend +failed +act=/)
  }
  for (const { status, stderr } of await both(['token', 'explain', token])) {
    assert.equal(status, 2)
    assert.ok(!stderr.includes(token))
  }
})

/** A text that claims to be the token, and was signed by nobody. */
const forged = (token: string): string => token.replace(/[^.]+$/, signature => signature.replace(/^.{4}/, 'AAAA'))

test('a pasted text that only claims to be a token ends nothing, and who may not introspect must name the id', async t => {
  const { both } = makeBoth(t, serving, 'tokens:read', 'tokens:introspect', 'tokens:revoke')
  const token = await issueOne()
  for (const { status, stderr } of await both(['token', 'revoke', '--yes'], forged(token))) {
    assert.equal(status, 1)
    assert.match(
      stderr,
      new RegExp(`no token of this service that is active, .*: mintmark token revoke ${idOf(token)}`),
    )
  }
  const { runThere } = makeBoth(t, serving, 'tokens:revoke')
  const refused = await runThere(['token', 'revoke', '--yes'], token)
  assert.equal(refused.status, 1)
  assert.match(refused.stderr, /takes the permission tokens:introspect too/)
  const [shown] = await both(['token', 'show', idOf(token), '--json'])
  assert.equal((JSON.parse(shown.stdout) as Record<string, unknown>)['state'], 'active')
  assert.equal((await runThere(['token', 'revoke', idOf(token), '--yes'])).status, 0)
})

test('a token as an argument is refused with the reason, and is not repeated', async () => {
  const token = await issueOne()
  for (const verb of ['show', 'revoke', 'introspect']) {
    const { status, stdout, stderr } = run(serving.folder, ['token', verb, token])
    assert.deepEqual([status, stdout], [2, ''], verb)
    assert.match(stderr, /A shell keeps its arguments, and other users of this machine see them/)
    assert.ok(!stderr.includes(token.split('.')[2] ?? token), stderr)
  }
})

test('standard input that is empty, no token, or longer than any token is refused in a sentence', () => {
  const WRONG: readonly (readonly [string, RegExp])[] = [
    ['', /There is no token on standard input: it is not one line/],
    [' \r\n\t ', /There is no token on standard input: it is not one line/],
    ['a.b.c', /no access token of this service/],
    ['\u001B[31mred', /There is no token on standard input: it is not one line/],
    [`export CLIENT_SECRET=mmc_${'x'.repeat(40)}`, /a client secret or an API key, which is sent nowhere/],
  ]
  for (const [input, reason] of WRONG) {
    const { status, stdout, stderr } = run(serving.folder, ['token', 'show', '-'], {}, input)
    assert.deepEqual([status, stdout], [2, ''], input)
    assert.match(stderr, reason)
  }
  const { status, stderr } = runAlone(serving.folder, ['token', 'revoke', '--yes'], {}, 'x'.repeat(5_000_000))
  assert.deepEqual([status, stderr], [2, 'mintmark: Standard input is not the token: it has more than 65536 bytes.\n'])
})

/** What a person does at a terminal; the parts arrive one after another. */
const paste = async (...parts: readonly string[]) => {
  const raw: boolean[] = []
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (isRaw: boolean) => raw.push(isRaw) })
  const stderr = new PassThrough()
  let shown = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  const outcome = readPastedToken({ stdin, stderr }).catch((error: unknown) => error)
  while (!shown.includes('not shown')) await once(stderr, 'data')
  for (const part of parts) {
    stdin.write(part)
    await new Promise(setImmediate)
  }
  return { outcome: await outcome, shown, raw }
}

test('a paste that is too long is read to its end, and what it holds is no key of the terminal', async () => {
  const parts = ['\u001B[200~', 'a'.repeat(70_000), '\u0003\u0004', 'echo run\r', '\u001B[20', '1~']
  const { outcome, shown, raw } = await paste(...parts)
  assert.match(String(outcome), /more than 65536 bytes/)
  assert.deepEqual(raw, [true, false])
  assert.ok(!shown.includes('echo'), shown)
  const cut = await paste(...parts.slice(0, -1), '\u0003')
  assert.match(String(cut.outcome), /Nothing was changed/)
})

test('at a terminal the token is asked for, not echoed, and its line breaks are those of the paste', async () => {
  const PASTES: readonly (readonly string[])[] = [
    ['aaa.bbb.ccc\r'],
    ['aaa.bbb', '.ccc', '\r'],
    ['  aaa.\r\nbbb.\r\n ccc\r'],
    ['\u001B[200~aaa.\r', 'bbb.ccc\r\u001B[201~', '\r'],
    ['aaa.bbb.cccx', '\u007F', '\r'],
    ['aaa.bbb.cccxy\u007F\b\r'],
    ['\r', 'aaa.bbb.ccc\r'],
  ]
  for (const parts of PASTES) {
    const { outcome, shown, raw } = await paste(...parts)
    assert.equal(outcome, 'aaa.bbb.ccc', JSON.stringify(parts))
    assert.deepEqual(raw, [true, false])
    assert.ok(!shown.includes('bbb'), shown)
  }
})

test('Ctrl-C, Ctrl-D and a paste without end leave, with the echo on again', async () => {
  for (const typed of ['aaa\u0003', '\u0004', 'x'.repeat(70_000)]) {
    const { outcome, raw } = await paste(typed)
    assert.ok(outcome instanceof CommandFailed, String(outcome))
    assert.deepEqual(raw, [true, false])
  }
})
