// Honest clients that another server registered, and that ask for their first token here while somebody floods one of them
// with wrong secrets. The right secret must get through to the end of its retries, as any client would make them.
import { setTimeout as delay } from 'node:timers/promises'
import { openConnection } from '../connection.ts'
import { issueRequest } from '../requests.ts'
import type { ImportedClient } from './imported-clients.ts'

export type FirstTokens = { readonly asked: number; readonly got: number }

const AGAIN_MS = 250
const ANSWER_MS_MAX = 6000

const tryOnce = async (port: number, client: ImportedClient): Promise<boolean> => {
  try {
    const connection = await openConnection(port, ANSWER_MS_MAX)
    try {
      return (await connection.exchange(issueRequest(client))).status === 200
    } finally {
      connection.close()
    }
  } catch {
    // No answer: it asks again.
    return false
  }
}

const ask = async (port: number, client: ImportedClient, until: number): Promise<boolean> => {
  for (;;) {
    if (await tryOnce(port, client)) return true
    if (performance.now() > until) return false
    await delay(AGAIN_MS)
  }
}

/** Each asks until it has its token, or time is up. */
export const askForFirstTokens = async (
  port: number,
  clients: readonly ImportedClient[],
  seconds: number,
): Promise<FirstTokens> => {
  const until = performance.now() + 1000 * seconds
  const got = await Promise.all(clients.map(client => ask(port, client, until)))
  return { asked: clients.length, got: got.filter(Boolean).length }
}
