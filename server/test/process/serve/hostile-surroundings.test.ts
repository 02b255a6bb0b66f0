// What must not end a service: callers who reset their connections, and a log that cannot be written. And where too few
// files may be opened to start, one line says so.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { fetchDescribed, postForm } from '../../../../testkit/services/fetch-described.ts'
import { isThorough } from '../../../../testkit/loads/thorough.ts'
import { assertOutlivesResets } from '../../../../testkit/commands/reset-callers.ts'
import {
  freePorts,
  makeFolder,
  PROGRAM,
  run,
  runShell,
  serveVariables,
  start,
  type Variables,
} from '../../../../testkit/commands/run-mintmark.ts'

const SERVES = /another audience\.\n/

/** Callers are counted in the store at once. */
const timing = { handOverMs: 100 }

const makeService = async (t: TestContext, workers = 2) => {
  const folder = makeFolder(t)
  const [port] = await freePorts()
  const variables: Variables = {
    ...serveVariables(port),
    MINTMARK_WORKERS: String(workers),
    MINTMARK_DRAIN_SECONDS: '0',
  }
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  return { folder, port, variables }
}

test('dev goes on after a thousand callers who reset their connections', async t => {
  const folder = makeFolder(t)
  const [port, providerPort] = await freePorts()
  const variables = { PORT: String(port), MINTMARK_DEV_IDP_PORT: String(providerPort) }
  const running = await start(t, folder, { timing, args: ['dev'], variables, ready: /jwks\.json"; echo\n/ })
  await assertOutlivesResets({ folder, variables: {}, port, running })
})

test('no thread of serve ends by a thousand callers who reset their connections', async t => {
  const { folder, port, variables } = await makeService(t)
  const running = await start(t, folder, { timing, args: ['serve'], variables, ready: SERVES })
  await assertOutlivesResets({ folder, variables, port, running })
})

test('a log that cannot be written ends neither the service nor a request, and does not keep it from ending', async t => {
  const { folder, port, variables } = await makeService(t, 1)
  const running = await start(t, folder, { args: ['serve'], variables, ready: SERVES, log: 'unwritable' })
  for (let n = 0; n < 50; n += 1) {
    // Why the JWT of an operator is refused is logged.
    const refused = await postForm(
      `http://127.0.0.1:${port}/oauth/revoke`,
      { token: 'x' },
      { authorization: 'Bearer a.b.c' },
    )
    assert.equal(refused.status, 401)
  }
  assert.equal((await fetchDescribed(`http://127.0.0.1:${port}/readyz`)).status, 200)
  assert.equal((await running.stop()).status, 0)
})

test('a start with too few open files is refused in one line that says what to do', async t => {
  const { folder, variables } = await makeService(t)
  for (const files of isThorough ? [30, 35, 40, 45, 50] : [30, 40, 50]) {
    const { status, stderr } = runShell(
      folder,
      `ulimit -n ${files}; '${process.execPath}' '${PROGRAM}' serve`,
      variables,
    )
    const reported = stderr.split('\n').filter(line => !line.includes('audit entries sealed'))
    assert.match(
      reported.join('\n'),
      /^mintmark: [^\n]*\(EMFILE\): raise its limit to 1024 or more[^\n]*\n$/,
      `${files} files`,
    )
    assert.equal(status, 1)
  }
})
