// Connections that are reset, cut, or closed before their answers are read.
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import {
  burstOf,
  cutAt,
  forgedToken,
  hasBody,
  introspection,
  type Place,
  requestOf,
  shortestGet,
  strangerRequests,
  tokenRequest,
  wrongApiKey,
  wrongSecret,
} from './requests.ts'
import { type Attack, genuineOf, openStranger, runCallers, type Stranger, type Strangers } from './stranger.ts'

const CALLERS = 16
const PAUSE_MS_MOST = 4
const ANSWER_MS_MAX = 1000

// SO_LINGER 0: a RST instead of a FIN, after which the other side does not even know whom it was connected to.
const reset = ({ socket }: Stranger): void => void socket.resetAndDestroy()

// Not by once() of node:events, which takes the error before the close for a failure.
const closed = ({ socket }: Stranger): Promise<unknown> =>
  new Promise(resolve => (socket.destroyed ? resolve(undefined) : socket.once('close', resolve)))

const pause = ({ random }: Attack): Promise<void> => delay(random.below(PAUSE_MS_MOST))

const pickRequest = (attack: Attack, place: Place = 'whole'): Buffer => {
  const requests = strangerRequests(genuineOf(attack)).map(make => make())
  return attack.random.pick(place === 'body' ? requests.filter(hasBody) : requests)
}

/** Half of the resets follow at once, half when the service has most likely read what came before. */
const resetAt =
  (place: Place): Strangers =>
  attack =>
    runCallers(attack, CALLERS, async () => {
      const stranger = await openStranger(attack)
      if (stranger === undefined) return
      stranger.socket.write(cutAt(pickRequest(attack, place), place, attack.random.between))
      if (attack.random.chance(0.5)) await pause(attack)
      reset(stranger)
    })

const resetWhileAnswering: Strangers = attack =>
  runCallers(attack, CALLERS, async () => {
    const stranger = await openStranger(attack)
    if (stranger === undefined) return
    const request = attack.random.chance(0.5) ? requestOf('GET /openapi.json') : pickRequest(attack)
    const first = once(stranger.socket, 'data', { signal: AbortSignal.timeout(ANSWER_MS_MAX) })
    stranger.socket.write(burstOf(request, 4 * request.length))
    await first.catch(() => undefined)
    reset(stranger)
  })

/** The rest never comes: the connection ends in good order, or the last chunk is missing. */
const cutBodies: Strangers = attack =>
  runCallers(attack, CALLERS, async () => {
    const stranger = await openStranger(attack)
    if (stranger === undefined) return
    const { random } = attack
    const chunked = ['Content-Type: application/x-www-form-urlencoded', 'Transfer-Encoding: chunked']
    const bytes = random.chance(0.3)
      ? Buffer.concat([requestOf('POST /oauth/token', { headers: chunked }), Buffer.from('20\r\ngrant_type=client')])
      : cutAt(pickRequest(attack, 'body'), 'body', random.between)
    stranger.socket.end(bytes)
    await pause(attack)
    if (random.chance(0.5)) stranger.socket.destroy()
    else await Promise.race([closed(stranger), delay(ANSWER_MS_MAX)])
  })

const BURST_CALLERS = 4
const BURST_PAUSE_MS = 250

const burst =
  (make: (attack: Attack) => Buffer): Strangers =>
  attack =>
    runCallers(attack, BURST_CALLERS, async () => {
      const stranger = await openStranger(attack)
      if (stranger === undefined) return
      const bytes = burstOf(make(attack))
      if (attack.random.chance(0.5)) stranger.socket.write(bytes, () => stranger.socket.destroy())
      else stranger.socket.write(bytes, () => reset(stranger))
      await delay(BURST_PAUSE_MS)
    })

export const RESETS: Readonly<Record<string, Strangers>> = {
  'reset-after-connect': resetAt('nothing'),
  'reset-in-request-line': resetAt('request line'),
  'reset-in-headers': resetAt('headers'),
  'reset-in-body': resetAt('body'),
  'reset-after-send': resetAt('whole'),
  'reset-while-answering': resetWhileAnswering,
  'cut-bodies': cutBodies,
  'burst-openapi': burst(() => shortestGet('/openapi.json')),
  'burst-docs': burst(() => shortestGet('/docs')),
  'burst-introspections': burst(({ token }) => introspection(wrongApiKey(), forgedToken(token))),
  'burst-tokens': burst(({ access }) => tokenRequest(access.agent.clientId, wrongSecret())),
}
