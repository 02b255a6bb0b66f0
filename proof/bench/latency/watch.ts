// Looks at one token after another every millisecond: says `accepted` at first, and then when it was refused (see latency.ts).
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { createVerifier } from '../../../packages/verify/src/index.ts'
import { formRequest, getRequest, openAsker } from '../connection.ts'

const { ISSUER = '', API_KEY = '', CHECK_PORT = '' } = process.env

type Check = (token: string) => Promise<boolean>

const byFeed = async (): Promise<Check> => {
  const verifier = createVerifier({ issuer: ISSUER, audience: ISSUER, apiKey: API_KEY, name: 'latency' })
  await verifier.ready()
  return async token => {
    const result = await verifier.verify(token)
    if (!result.ok && result.status !== 401) throw new Error(`The verifier answers ${result.status}.`)
    return result.ok
  }
}

const byIntrospection = async (): Promise<Check> => {
  const { ask } = await openAsker(Number(CHECK_PORT))
  return async token => {
    const request = formRequest('/oauth/introspect/v2', `token=${token}`, [`x-api-key: ${API_KEY}`])
    const { status, body } = await ask(request)
    if (status !== 200) throw new Error(`Introspection answers ${status}.`)
    return body.startsWith('{"active":true')
  }
}

const byGateway = async (): Promise<Check> => {
  const { ask } = await openAsker(Number(CHECK_PORT))
  return async token => {
    const { status } = await ask(getRequest('/check', [`authorization: Bearer ${token}`]))
    if (status !== 200 && status !== 401) throw new Error(`The gateway process answers ${status}.`)
    return status === 200
  }
}

const CHECKS: Readonly<Record<string, () => Promise<Check>>> = {
  feed: byFeed,
  introspection: byIntrospection,
  gateway: byGateway,
}

const now = (): number => Number(process.hrtime.bigint()) / 1e6

const check = await CHECKS[process.argv[2] ?? '']?.()
if (check === undefined) throw new Error(`Expected one of ${Object.keys(CHECKS).join(', ')}.`)

for await (const token of createInterface({ input: process.stdin })) {
  let acceptedAt: number | undefined
  for (;;) {
    const began = now()
    if (!(await check(token))) break
    if (acceptedAt === undefined) process.stdout.write('accepted\n')
    acceptedAt = began
    await delay(1)
  }
  process.stdout.write(`${JSON.stringify({ acceptedAt, refusedAt: now() })}\n`)
}
process.exit(0)
