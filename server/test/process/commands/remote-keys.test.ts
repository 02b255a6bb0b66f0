// Signing keys, exports and imports with --url and on the store itself: the same acts and the same answers.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { keycloakClient, hydraRow } from '../../../../testkit/callers/foreign-exports.ts'
import type { Ended } from '../../../../testkit/commands/run-mintmark.ts'
import { createAgent, issue, makeBoth, startServing } from '../../../../testkit/commands/serving.ts'

type Printed = Readonly<Record<string, unknown>>

// The key that takes the place of one that left is made at once.
const serving = await startServing({ after }, { keyCheckMs: 50 })
const all = makeBoth(
  { after },
  serving,
  'keys:write',
  'agents:write',
  'agents:read',
  'tokens:read',
  'tokens:revoke',
  'audit:read',
)
const weak = makeBoth({ after }, serving, 'tokens:introspect')

const printed = ({ status, stdout, stderr }: Ended): Printed => {
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout) as Printed
}

const printedNothing = ({ status, stdout, stderr }: Ended): void => assert.deepEqual([status, stdout], [0, ''], stderr)

/** Without what counts down by the second. */
const lasting = (key: Printed): Printed => ({ ...key, ready_in_seconds: null, leaves_in_seconds: null })

const keysIn = (ended: Ended): readonly Printed[] => (printed(ended)['data'] as readonly Printed[]).map(lasting)

/** The service makes a next key by itself, where there is none: what is compared waits for it. */
const untilNextKey = async (): Promise<void> => {
  while (!keysIn(await all.runHere(['key', 'list', '--json'])).some(({ state }) => state === 'next'));
}

const privateKey = (format: 'pem' | 'jwk'): string => {
  const made = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  if (format === 'jwk') return JSON.stringify(made.export({ format }))
  return made.export({ format, type: 'pkcs8' })
}

test('signing keys are listed and shown the same, and each act by --url is seen at the store', async () => {
  await untilNextKey()
  const [here, there] = await all.both(['key', 'list', '--json'])
  assert.deepEqual(keysIn(there), keysIn(here))
  const current = keysIn(here).find(({ state }) => state === 'current')
  const [shownHere, shownThere] = await all.both(['key', 'show', '--json', '--', String(current?.['kid'])])
  assert.deepEqual([lasting(printed(shownHere)), lasting(printed(shownThere))], [current, current])
  const stateOf = async (kid: unknown) => {
    const record = printed(await all.runHere(['key', 'show', '--json', '--', String(kid)]))
    return record['state']
  }
  const imported = printed(await all.runThere(['key', 'import', '--kid', 'far-1', '--json'], privateKey('pem')))
  assert.deepEqual([imported['kid'], await stateOf('far-1')], ['far-1', 'next'])
  const forced = printed(await all.runThere(['key', 'rotate', '--force', '--note', 'drill', '--json']))
  assert.match(String(forced['warning']), /before it was published/)
  assert.deepEqual([forced['kid'], await stateOf('far-1')], ['far-1', 'current'])
  printed(await all.runThere(['key', 'import', '--kid', 'far-3', '--json'], privateKey('pem')))
  printed(await all.runThere(['key', 'retire', '--json', 'far-3']))
  assert.equal(await stateOf('far-3'), 'gone')
  const byJwk = printed(await all.runThere(['key', 'import', '--kid', 'far-2', '--json'], privateKey('jwk')))
  const asked = await all.runThere(['key', 'compromise', String(byJwk['kid'])])
  assert.deepEqual([asked.status, asked.stdout], [2, ''])
  assert.match(asked.stderr, /takes the key far-2 \(next\) out of the key set .* 0 alive now\. .* with --yes\.\n$/)
  printed(await all.runThere(['key', 'compromise', '--yes', '--json', 'far-2']))
  assert.equal(await stateOf('far-2'), 'compromised')
  const { data } = printed(await all.runHere(['audit', 'list', '--actor-id', all.keyId, '--json']))
  const kinds = (data as readonly Printed[]).map(({ kind }) => kind)
  for (const kind of ['import', 'rotate', 'retire', 'compromise'])
    assert.ok(kinds.includes(`signing_key.${kind}`), kind)
})

test('exports are the same lines both ways, into a file too, which others cannot read', async () => {
  const agent = createAgent(serving)
  for (let n = 0; n < 3; n += 1) assert.equal((await issue(serving, agent)).status, 200)
  for (const args of [
    ['token', 'export', '--agent', agent.agent_id],
    ['token', 'export', '--agent', agent.agent_id, '--format', 'csv'],
    ['token', 'export-history', '--agent', agent.agent_id],
    ['audit', 'export', '--subject', agent.agent_id],
  ]) {
    const [here, there] = await all.both(args)
    assert.equal(there.status, 0, there.stderr)
    assert.deepEqual(there, here, args.join(' '))
    assert.equal(there.stdout === '', args.includes('export-history'))
    printedNothing(await all.runThere([...args, '--output', 'copy']))
    const copy = join(all.elsewhere, 'copy')
    assert.deepEqual([readFileSync(copy, 'utf8'), statSync(copy).mode & 0o777], [here.stdout, 0o600])
  }
})

test('imports say the same both ways, and what one way made is there the other way', async () => {
  const documents = { keycloak: [keycloakClient('far-orders')], hydra: [hydraRow('far-reports')] }
  for (const [source, document] of Object.entries(documents)) {
    const file = `${source}.json`
    for (const folder of [serving.folder, all.elsewhere]) writeFileSync(join(folder, file), JSON.stringify(document))
    const command = ['import', source, file, '--scope', 'db:read']
    const [here, there] = await all.both([...command, '--dry-run', '--json'])
    assert.deepEqual([there, there.status], [here, 0])
    const outcomes = async (run: typeof all.runHere) => {
      const { data } = printed(await run([...command, '--json']))
      return (data as readonly Printed[]).map(({ outcome }) => outcome)
    }
    assert.deepEqual(await outcomes(all.runThere), ['imported'])
    assert.deepEqual(await outcomes(all.runHere), ['exists'])
  }
})

const UNLISTED = 'The caller may not list what this may be the name of: it is taken for the whole id.\n'

test('without the permission every one of them exits with 4, and does nothing', async () => {
  await untilNextKey()
  const before = keysIn(await all.runHere(['key', 'list', '--json']))
  writeFileSync(join(weak.elsewhere, 'clients.json'), JSON.stringify([keycloakClient('never')]))
  for (const args of [
    ['key', 'list'],
    ['key', 'show', 'far-2'],
    ['key', 'rotate'],
    ['key', 'retire', 'far-2'],
    ['key', 'compromise', 'far-2', '--yes'],
    ['key', 'import'],
    ['token', 'export'],
    ['token', 'export-history'],
    ['audit', 'export', '--output', 'audit'],
    ['import', 'keycloak', 'clients.json'],
  ]) {
    const { status, stdout, stderr } = await weak.runThere(args, privateKey('jwk'))
    assert.deepEqual([status, stdout], [4, ''], args.join(' '))
    // Only what is named by its id is looked up first.
    const first = args.includes('far-2') ? UNLISTED : ''
    assert.ok(stderr.startsWith(first), args.join(' '))
    assert.match(stderr.slice(first.length), /^mintmark: This API key lacks the permission \w+:\w+\.\n$/)
  }
  assert.throws(() => statSync(join(weak.elsewhere, 'audit')))
  assert.deepEqual(keysIn(await all.runHere(['key', 'list', '--json'])), before)
})

test('a document that is no JSON, or is too large to read, is refused before anybody is asked', async () => {
  const file = join(all.elsewhere, 'document.json')
  for (const [text, status, why] of [
    ['clients', 1, 'The document is not JSON.'],
    ['', 1, 'The document is not JSON.'],
    [`["${'x'.repeat(16_777_216)}"]`, 2, `${JSON.stringify(file)} has more than 16777216 bytes.`],
  ] as const) {
    writeFileSync(file, text)
    for (const runEither of [all.runHere, all.runThere]) {
      const ended = await runEither(['import', 'keycloak', file, '--scope', 'db:read'])
      assert.deepEqual([ended.status, ended.stderr], [status, `mintmark: ${why}\n`])
    }
  }
})
