// The callers that ask while a family is made, while it ends, and after that: nothing of it may be active in an introspection that was
// sent after the acknowledgement, nothing is got for it, and its records stay as they are.
import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, ConnectionLost, openConnection } from '../connection.ts'
import type { Random } from '../random.ts'
import { type Access, exchangeRequest, introspectRequest, isActiveIn, revokeRequest, tokenIn } from '../requests.ts'
import { addMember, type Family, type Member } from './family.ts'

const RETRY_MS = 20
/** A token that is about to expire proves nothing. */
const EXPIRY_MARGIN_MS = 5000

export type Counts = { introspections: number; exchanges: number; revocations: number; unanswered: number }

type Making = {
  readonly access: Access
  readonly family: Family
  readonly random: Random
  /** Called for each new member; false: enough. */
  readonly goesOn: () => boolean
  /** Returns the member from whose token the next one is exchanged. */
  readonly choose: () => Member
}

/** Gets tokens on one connection until it is enough, or until the family has ended. Returns what was refused. */
export const growOn = async ({ access, family, random, goesOn, choose }: Making): Promise<readonly string[]> => {
  const connection = await openConnection(access.port)
  try {
    while (goesOn()) {
      const parent = choose()
      const { status, body } = await connection.exchange(exchangeRequest(access, parent.text ?? ''))
      if (status !== 200) return [body]
      addMember(family, tokenIn(body), parent, random)
    }
    return []
  } finally {
    connection.close()
  }
}

type Watching = {
  readonly access: Access
  /** All of it has ended. */
  readonly ended: Family
  /** None of it has. */
  readonly living: Family
  readonly random: Random
  readonly violations: string[]
  readonly counts: Counts
  readonly isStopped: () => boolean
}

const ask = async (watching: Watching, connection: Connection): Promise<void> => {
  const { access, ended, living, random, violations, counts } = watching
  const member = random.pick(ended.held)
  const text = member.text ?? ''
  const kind = random.below(10)
  if (kind === 0) {
    const { status, body } = await connection.exchange(exchangeRequest(access, text))
    if (status === 200) violations.push(`A token was got for ${member.id}, which had ended.`)
    else if (status !== 400 && status !== 503) violations.push(`An exchange was answered ${status}: ${body}`)
    counts.exchanges += 1
  } else if (kind === 1) {
    const { status, body } = await connection.exchange(revokeRequest(access, text, 'manual_revocation'))
    if (status !== 200 && status !== 503) violations.push(`A revocation was answered ${status}: ${body}`)
    counts.revocations += 1
  } else {
    const asked = kind === 2 ? random.pick(living.held) : member
    const { status, body } = await connection.exchange(introspectRequest(access, asked.text ?? ''))
    if (status !== 200 && status !== 503) violations.push(`An introspection was answered ${status}: ${body}`)
    if (status !== 200) return
    counts.introspections += 1
    const isActive = isActiveIn(body)
    if (asked === member && isActive) violations.push(`P10: token ${member.id} is active after the end of an ancestor.`)
    if (asked !== member && !isActive && Date.now() < 1000 * asked.expiresAt - EXPIRY_MARGIN_MS) {
      violations.push(`P5: token ${asked.id} is inactive, though nothing ended it.`)
    }
  }
}

/** Asks on one connection after another until it is stopped; a service that was killed is waited for. */
export const watchOn = async (watching: Watching): Promise<void> => {
  const { counts, isStopped } = watching
  while (!isStopped()) {
    let connection: Connection | undefined
    try {
      connection = await openConnection(watching.access.port)
      while (!isStopped()) await ask(watching, connection)
    } catch (fault) {
      if (!(fault instanceof ConnectionLost)) throw fault
      counts.unanswered += 1
      await delay(RETRY_MS)
    } finally {
      connection?.close()
    }
  }
}
