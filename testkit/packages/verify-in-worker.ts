// @mintmark/verify in a worker, over several requests: what packages/verify/smoke-worker.mjs answers before and after the end of a token.
import { issue, revoke } from '../callers/requests.ts'
import type { AgentOfTest, TestServer } from '../services/test-server.ts'

/** How each mode accepts a token, and whether it refuses it at once when it has been revoked. */
const MODES = [
  { mode: 'introspect', by: 'introspection', refuses: true },
  // What follows the feed ends with the request: the verifier is stale, knows it, and introspects.
  { mode: 'feed', by: 'introspection', refuses: true },
  { mode: 'once', by: 'feed', refuses: true },
  { mode: 'offline', by: 'signature', refuses: false },
] as const

/** What was not as it should be; null where everything was. */
export const verifyInWorker = async (
  origin: string,
  service: TestServer,
  agent: AgentOfTest,
): Promise<string | null> => {
  const ask = async (mode: string, token: string): Promise<string> => {
    const response = await fetch(`${origin}/${mode}`, { headers: { authorization: `Bearer ${token}` } })
    return `${response.status} ${response.ok ? await response.text() : (response.headers.get('www-authenticate') ?? '')}`
  }
  const faults: string[] = []
  const expect = async (what: string, asked: Promise<string>, wanted: string): Promise<void> => {
    const answer = await asked
    if (!answer.startsWith(wanted)) faults.push(`${what}: ${answer}, expected ${wanted}`)
  }
  const refused = '401 Bearer error="invalid_token"'
  await ask('leave', '')
  for (const { mode, by, refuses } of MODES) {
    const [token, other] = [await issue(service, agent), await issue(service, agent)]
    const accepted = `200 ${by}`
    await expect(`${mode}, another text`, ask(mode, `${token}x`), refused)
    // The first of them reads the key set for all.
    const together = [token, other, token].map(one => expect(`${mode}, at once`, ask(mode, one), accepted))
    await Promise.all(together)
    await expect(`${mode}, again`, ask(mode, token), accepted)
    await revoke(service, token)
    await expect(`${mode}, revoked`, ask(mode, token), refuses ? refused : accepted)
    await expect(`${mode}, another token`, ask(mode, other), accepted)
  }
  return faults.length === 0 ? null : faults.join('; ')
}
