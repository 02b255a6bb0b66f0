// Connections that take their time: they send a byte now and then, nothing at all, or never read.
import { setTimeout as delay } from 'node:timers/promises'
import { burstOf, requestOf, shortestGet, tokenRequest, wrongSecret } from './requests.ts'
import { type Attack, openMany, type Stranger, type Strangers, untilOver } from './stranger.ts'

const CONNECTIONS = 500
const BYTE_MS = 100
const UNREAD_CONNECTIONS = 20

const dribble = async (attack: Attack, strangers: readonly Stranger[], next: () => string): Promise<void> => {
  while (!attack.isOver()) {
    for (const { socket } of strangers) if (socket.writable) socket.write(next())
    await delay(BYTE_MS)
  }
}

const slowHeaders: Strangers = async attack => {
  const strangers = await openMany(attack, CONNECTIONS)
  for (const { socket } of strangers) socket.write('GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ')
  await dribble(attack, strangers, () => 'a')
}

const slowBodies: Strangers = async attack => {
  const strangers = await openMany(attack, CONNECTIONS)
  const headers = ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 16000']
  for (const { socket } of strangers) socket.write(requestOf('POST /oauth/token', { headers }))
  await dribble(attack, strangers, () => 'a')
}

const idle: Strangers = async attack => {
  await openMany(attack, 2 * CONNECTIONS)
  await untilOver(attack)
}

/** They say that they will send no more, in the middle of a request or after it, and stay. */
const halfOpen: Strangers = async attack => {
  const request = tokenRequest(attack.access.agent.clientId, wrongSecret())
  const strangers = await openMany(attack, CONNECTIONS, { allowHalfOpen: true })
  for (const { socket } of strangers) {
    socket.end(attack.random.chance(0.5) ? request : request.subarray(0, attack.random.below(request.length)))
  }
  await untilOver(attack)
}

/** What is answered and never read waits in the service. */
const unread: Strangers = async attack => {
  const strangers = await openMany(attack, UNREAD_CONNECTIONS)
  for (const { socket } of strangers) {
    socket.pause()
    socket.write(burstOf(shortestGet('/openapi.json')))
  }
  await untilOver(attack)
}

export const SLOW: Readonly<Record<string, Strangers>> = {
  'slow-headers': slowHeaders,
  'slow-bodies': slowBodies,
  'idle-connections': idle,
  'half-open': halfOpen,
  'unread-answers': unread,
}
