// What is loaded late and is gone since the start is named, and is nobody else's fault.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { builtFiles } from '../../../src/http/wire/built-files.ts'
import { describeMissingFile } from '../../../src/http/wire/missing-file.ts'
import { send } from '../../../../testkit/callers/requests.ts'
import { signIn } from '../../../../testkit/callers/sessions.ts'
import { startServer } from '../../../../testkit/services/test-server.ts'

const LATE = ['openid-client', '@fastify/swagger-ui']
const CLEANED = '/nowhere/node_modules/'

test('a package that is gone is named by /docs and by a sign-in, which goes on once it is back', async t => {
  const fresh = await startServer()
  t.after(fresh.close)
  const hooks = registerHooks({
    resolve: (name, context, next) => next(LATE.includes(name) ? `${CLEANED}${name}/index.js` : name, context),
  })
  const answers = { '/console/sign-in': 'openid-client', '/docs': '@fastify/swagger-ui' }
  for (const [path, name] of Object.entries(answers)) {
    const { status, text } = await send(fresh, { path })
    assert.equal(status, 500, path)
    assert.ok(text.includes(`A file of the program is missing: ${name}/index.js. Start the service again`), text)
    assert.ok(!text.includes('nowhere'), text)
    assert.ok(fresh.log().includes(`${CLEANED}${name}/index.js`))
  }
  hooks.deregister()
  await signIn(fresh)
  assert.equal((await send(fresh, { path: '/docs' })).status, 200)
})

test('so is a file that is read, if it is one of the program', () => {
  const describe = (path: string) => {
    try {
      return readFileSync(path, 'utf8')
    } catch (fault) {
      return describeMissingFile(fault)
    }
  }
  assert.match(describe(`${CLEANED}mintmark/guide/index.html`) ?? '', /missing: mintmark\/guide\/index\.html\. /)
  for (const path of ['/nowhere/mintmark.db', './nowhere/mintmark.db']) assert.equal(describe(path), undefined)
  assert.equal(describeMissingFile(new Error("'x'")), undefined)
})

test('so is the guide where the folder of the program is gone, not one that it was built without', async () => {
  const find = (folder: string) => builtFiles({ folder, hash: text => text })()
  await assert.rejects(find(`${CLEANED}mintmark/guide`), (fault: unknown) =>
    (describeMissingFile(fault) ?? '').includes('missing: mintmark/guide. '),
  )
  assert.equal(await find(join(tmpdir(), randomUUID())), undefined)
})
