// The programs of docs/agents/quickstart.md that need nothing but what the tests have. Those in Python and Go run with `npm run proof interop`.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { REPOSITORY } from '../../../../testkit/sources/source-files.ts'

const service = useService()
const agent = service.agent()
const apiKey = service.apiKey('tokens:introspect')

const PROGRAMS = [
  ['proof/interop/shell/quickstart.sh', 'sh'],
  ['proof/interop/typescript/quickstart.ts', process.execPath],
] as const

for (const [path, command] of PROGRAMS) {
  test(`${path} gets a token, and sees that it is active until it is revoked`, async () => {
    const { stdout } = await promisify(execFile)(command, [resolve(REPOSITORY, path)], {
      env: {
        ...process.env,
        BASE_URL: service.baseUrl,
        CLIENT_ID: agent.clientId,
        CLIENT_SECRET: agent.clientSecret,
        ADMIN_API_KEY: apiKey.key,
      },
    })
    assert.equal(stdout, '{"active":true}\n{"active":false}\n')
  })
}
