// Floods of credentials that are wrong, each on connections that are kept and with several requests under way.
import { randomBytes } from 'node:crypto'
import { HOSTILE_BYTES } from './hostile-bytes.ts'
import {
  apiKey,
  bearer,
  forgedToken,
  introspection,
  requestOf,
  strangerRequests,
  tokenRequest,
  wrongApiKey,
  wrongSecret,
} from './requests.ts'
import {
  anyAddress,
  type Attack,
  genuineOf,
  openStranger,
  runCallers,
  type Stranger,
  type Strangers,
} from './stranger.ts'

type Flood = { readonly sockets: number; readonly pipelined: number }

const USUAL: Flood = { sockets: 32, pipelined: 8 }

const exchange = async ({ socket, answered }: Stranger, requests: readonly Buffer[]): Promise<boolean> => {
  const all = answered(requests.length)
  socket.write(Buffer.concat(requests))
  return all
}

const repeat = <T>(count: number, make: () => T): readonly T[] => Array.from({ length: count }, make)

/** Keeps each connection for as long as the service does. */
const flood =
  (make: (attack: Attack) => Buffer, { sockets, pipelined }: Flood = USUAL): Strangers =>
  attack =>
    runCallers(attack, sockets, async () => {
      const stranger = await openStranger(attack)
      if (stranger === undefined) return
      while (
        !attack.isOver() &&
        (await exchange(
          stranger,
          repeat(pipelined, () => make(attack)),
        ))
      );
      stranger.socket.destroy()
    })

/** Sends from addresses that were hardly used before: nothing that is kept by address may grow without a limit. */
const fromEverywhere: Strangers = attack =>
  runCallers(attack, USUAL.sockets, async () => {
    const stranger = await openStranger(attack, { source: anyAddress(attack.random) })
    if (stranger === undefined) return
    await exchange(stranger, [attack.random.pick(strangerRequests(genuineOf(attack)))()])
    stranger.socket.resetAndDestroy()
  })

/** One after another on one connection, which the service may end at any of them. */
const send =
  (name: string): Strangers =>
  attack => {
    const { access, adminJwt, cursors } = attack
    const credentials = { ...access, clientId: access.agent.clientId, adminJwt, cursors }
    const requests = HOSTILE_BYTES[name]?.(credentials) ?? []
    return runCallers(attack, USUAL.sockets, async () => {
      const stranger = await openStranger(attack)
      if (stranger === undefined) return
      while (!attack.isOver() && (await exchange(stranger, [attack.random.pick(requests)])));
      stranger.socket.destroy()
    })
  }

export const BYTES: Readonly<Record<string, Strangers>> = Object.fromEntries(
  Object.keys(HOSTILE_BYTES).map(name => [name, send(name)]),
)

export const FLOODS: Readonly<Record<string, Strangers>> = {
  'wrong-secrets': flood(({ access, random }) =>
    tokenRequest(random.chance(0.5) ? access.agent.clientId : randomBytes(12).toString('hex'), wrongSecret()),
  ),
  'imported-secret': flood(({ importedClientId }) => tokenRequest(importedClientId, wrongSecret()), {
    sockets: 60,
    pipelined: 16,
  }),
  'forged-jwts': flood(({ access }) =>
    requestOf('GET /api/v1/tokens', { headers: [bearer(forgedToken(access.operatorJwt))] }),
  ),
  // A resource server asks about whatever strangers show it.
  'forged-tokens': flood(({ access, token }) => introspection(access.introspectionKey, forgedToken(token))),
  'wrong-api-keys': flood(({ random, token }) =>
    random.chance(0.5)
      ? introspection(wrongApiKey(), forgedToken(token))
      : requestOf('GET /api/v1/tokens', { headers: [apiKey(wrongApiKey())] }),
  ),
  'many-addresses': fromEverywhere,
}
