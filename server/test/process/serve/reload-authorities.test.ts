// `mintmark serve` reads the authorities of client certificates again when their file changes.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { askShowing, showing } from '../../../../testkit/callers/client-certificates.ts'
import { postJson } from '../../../../testkit/callers/requests.ts'
import { run } from '../../../../testkit/commands/run-mintmark.ts'
import { startTls } from '../../../../testkit/commands/serving-tls.ts'
import { CERTIFICATE, PRIVATE_KEY } from '../../../../testkit/keys/loopback-certificate.ts'
import { CN, makeAuthority, makeCertificate, type MadeCertificate } from '../../../../testkit/keys/make-certificate.ts'
import { until } from '../../../../testkit/processes/until.ts'
import type { AgentOfTest, TestServer } from '../../../../testkit/services/test-server.ts'

const LIMIT = { timeout: 300_000 }

test(
  'authorities of client certificates are read again: clients of a removed one are refused, of an added one accepted',
  LIMIT,
  async t => {
    const [removed, added] = [makeAuthority('removed'), makeAuthority('added')]
    const subject = [[[CN, 'reports']]] as const
    const [before, after] = [
      makeCertificate({ subject, authority: removed }),
      makeCertificate({ subject, authority: added }),
    ]
    const serving = await startTls(t, { cert: CERTIFICATE, key: PRIVATE_KEY }, folder => {
      writeFileSync(join(folder, 'authorities.pem'), removed.cert)
      return {
        MINTMARK_TLS_CLIENT_CA_FILE: join(folder, 'authorities.pem'),
        // Refused ones must be distinguishable from limited ones.
        MINTMARK_FAILED_AUTH_PER_CLIENT: 'off',
        MINTMARK_FAILED_AUTH_PER_ADDRESS: 'off',
      }
    })
    const service = { baseUrl: `https://127.0.0.1:${serving.port}` } as unknown as TestServer
    const json = (...args: readonly string[]) =>
      JSON.parse(run(serving.folder, [...args, '--json'], serving.variables).stdout) as Readonly<Record<string, string>>
    const { api_key: key = '' } = json('api-key', 'create', '--name', 'k', '--permission', 'agents:write')
    const { agent_id: agentId = '' } = json(
      'agent',
      'create',
      '--name',
      'a',
      '--scope',
      'db:read',
      '--default-scope',
      'db:read',
    )
    const trust = { name: 'its certificate', tls_client_auth: { subject_dn: 'CN=reports' } }
    const created = await postJson(service, `/api/v1/agents/${agentId}/credentials`, trust, { 'x-api-key': key })
    assert.equal(created.status, 201, created.text)
    const agent: AgentOfTest = { agentId, clientId: agentId, clientSecret: '' }
    const statusesOf = async (certificate: MadeCertificate) => {
      const asked = Array.from({ length: 12 }, () => askShowing(service, agent, { connection: showing(certificate) }))
      return new Set((await Promise.all(asked)).map(({ status }) => status))
    }
    assert.deepEqual([await statusesOf(before), await statusesOf(after)], [new Set([200]), new Set([401])])
    serving.write(join(serving.folder, 'authorities.pem'), added.cert)
    await until(
      'clients of the removed authority are refused',
      async () => [...(await statusesOf(before))].join() === '401',
    )
    assert.deepEqual([await statusesOf(before), await statusesOf(after)], [new Set([401]), new Set([200])])
  },
)
