// Follows a revocation for --wait: until the verifiers hold it, for a few seconds, and until every record has followed.
import { setTimeout as delay } from 'node:timers/promises'
import * as rows from '../../../api/revocations.ts'
import { printableLines } from '../domain/text/text.ts'
import type { Timing } from '../ports/timing.ts'
import type { Api } from './remote/api.ts'
import { CommandFailed } from './terminal/exit.ts'
import { areRecords, formatCount, isRecord, type PrintedRecord } from './terminal/print.ts'

/** Verifiers that do not hold it, of which there may be many. */
const NAMED_MAX = 5

type RecordsTiming = Pick<Timing, 'standstillMs' | 'recordsPollMs'>
type VerifiersTiming = Pick<Timing, 'verifiersMs' | 'verifiersFirstPauseMs' | 'verifiersPauseMs'>

const askAgain = (api: Api, { id }: PrintedRecord): Promise<PrintedRecord> =>
  api.call(rows.showRevocation, { path: { id: String(id) } })

type Held = { readonly total: number; readonly holding: number; readonly missing: readonly PrintedRecord[] }

/** Undefined where the service says nothing of verifiers, or has none. */
const heldOf = ({ verifiers }: PrintedRecord): Held | undefined => {
  if (!isRecord(verifiers)) return undefined
  const { total, holding, missing } = verifiers
  if (typeof total !== 'number' || typeof holding !== 'number' || total === 0) return undefined
  return { total, holding, missing: areRecords(missing) ? missing : [] }
}

const isAwaited = (revocation: PrintedRecord): boolean => {
  const held = heldOf(revocation)
  return held !== undefined && held.holding < held.total
}

/** `2 stale: a, since 12 s; b, since 3 s`. */
const formatMissing = ({ total, holding, missing }: Held): string => {
  const stale = total - holding
  const named = missing
    .slice(0, NAMED_MAX)
    .map(one => `${String(one['name'])}, since ${Math.round(Number(one['stale_seconds']))} s`)
  const rest = stale > named.length ? [`and ${stale - named.length} more`] : []
  return `${stale} stale: ${[...named, ...rest].join('; ')}`
}

/** `held by 98 of 100 verifiers after 43 ms; 2 stale: …`; `waitedMs` is 0 where nobody had to wait. */
export const formatHeld = (held: Held, waitedMs: number): string => {
  const after = waitedMs === 0 ? '' : ` after ${Math.round(waitedMs)} ms`
  const missing = held.holding < held.total ? `; ${formatMissing(held)}` : ''
  return `held by ${held.holding} of ${formatCount(held.total, 'verifier')}${after}${missing}`
}

/** A person who ends the wait must not believe that nothing has changed. */
const sayThatItHolds = ({ id }: PrintedRecord): void => {
  if (!process.stderr.isTTY) return
  process.stderr.write(
    `${printableLines(`Revocation ${String(id)} holds. The verifiers are awaited; Ctrl-C ends the wait only.`)}\n`,
  )
}

/** Says on standard error who holds it, as soon as all do or as they do not; nothing where there is no verifier. */
const followVerifiers = async (api: Api, first: PrintedRecord, timing: VerifiersTiming): Promise<PrintedRecord> => {
  const beganAt = performance.now()
  let [revocation, pauseMs, waitedMs] = [first, timing.verifiersFirstPauseMs, 0]
  if (isAwaited(revocation)) sayThatItHolds(revocation)
  while (isAwaited(revocation) && waitedMs < timing.verifiersMs) {
    await delay(pauseMs)
    pauseMs = Math.min(2 * pauseMs, timing.verifiersPauseMs)
    revocation = await askAgain(api, first)
    waitedMs = performance.now() - beganAt
  }
  const held = heldOf(revocation)
  if (held !== undefined) process.stderr.write(`${printableLines(formatHeld(held, waitedMs))}\n`)
  return revocation
}

const isClosed = (revocation: PrintedRecord): boolean => revocation['state'] === 'closed'

/** On standard error, one line that is written over; nothing where nobody looks. */
const reportProgress = ({ tokens_moved: moved }: PrintedRecord, isLast: boolean): void => {
  if (!process.stderr.isTTY) return
  process.stderr.write(
    `\r${Number(moved).toLocaleString('en-US')} records have followed${isLast ? '\n' : ' …'}\u001B[K`,
  )
}

/** The revocation once it is closed. */
const followRecords = async (
  api: Api,
  first: PrintedRecord,
  { standstillMs, recordsPollMs }: RecordsTiming,
): Promise<PrintedRecord> => {
  let [revocation, moved, stoodMs] = [first, first['tokens_moved'], 0]
  while (!isClosed(revocation)) {
    reportProgress(revocation, false)
    if (stoodMs >= standstillMs) {
      throw new CommandFailed(
        `No record has followed for ${standstillMs / 1000} s, and the tokens have ended all the same: is the service running?`,
      )
    }
    await delay(recordsPollMs)
    revocation = await askAgain(api, first)
    stoodMs = revocation['tokens_moved'] === moved ? stoodMs + recordsPollMs : 0
    moved = revocation['tokens_moved']
  }
  reportProgress(revocation, true)
  return revocation
}

/** The revocation once it is closed; the verifiers first, who decide what is refused elsewhere. */
export const followRevocation = async (
  api: Api,
  first: PrintedRecord,
  timing: RecordsTiming & VerifiersTiming,
): Promise<PrintedRecord> => followRecords(api, await followVerifiers(api, first, timing), timing)
