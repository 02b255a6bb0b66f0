// The bound on distinct token lifetimes, where a person meets it: at `agent create` and at `serve`.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { LIFETIMES_MAX } from '../../../src/domain/clients/agent.ts'
import { KEY, makeFolder, run, runAlone } from '../../../../testkit/commands/run-mintmark.ts'
import { openBeside } from '../../../../testkit/stores/store-file.ts'

const SIXTEEN = Array.from({ length: LIFETIMES_MAX }, (_, n) => 70 * (n + 1))

const VARIABLES = {
  MINTMARK_KEY_ENCRYPTION_KEY: KEY,
  MINTMARK_BASE_URL: 'http://127.0.0.1:8080',
  MINTMARK_IDP_ISSUER: 'https://login.example.com',
  MINTMARK_IDP_AUDIENCE: 'mintmark',
}

test('a 17th lifetime is refused by agent create and by serve, which name the 16 in use', t => {
  const folder = makeFolder(t)
  run(folder, ['migrate'], VARIABLES)
  const db = openBeside(join(folder, '.mintmark', 'mintmark.db'))
  for (const life of SIXTEEN) db.prepare('insert into lifetime values (?)').run(life)
  db.close()
  const create = (life: number) =>
    run(folder, ['agent', 'create', '--name', `of ${life}`, '--scope', 'db:read', '--lifetime-seconds', String(life)])
  const refused = create(61)
  assert.equal(refused.status, 1)
  assert.ok(refused.stderr.includes(`choose one of ${SIXTEEN.join(', ')}.`), refused.stderr)
  assert.equal(create(70).status, 0)
  const serve = runAlone(folder, ['serve'], { ...VARIABLES, MINTMARK_TOKEN_LIFETIME_SECONDS: '61' })
  assert.equal(serve.status, 1)
  assert.match(serve.stderr, /^mintmark: MINTMARK_TOKEN_LIFETIME_SECONDS is 61, but 16 other lifetimes are in use/)
})
