// Waits until the records of a revocation have followed, and shows a person how far they are.
import { setTimeout as delay } from 'node:timers/promises'
import { type Api, at } from './remote/api.ts'
import { CommandFailed } from './terminal/exit.ts'
import type { PrintedRecord } from './terminal/print.ts'

const ASK_EVERY_MS = 500
/** A service works at it all the time: where nothing moves for so long, none does. */
const STANDSTILL_MS_MAX = 30_000

export const askRevocation = (api: Api, id: string): Promise<PrintedRecord> =>
  api.ask({ method: 'GET', path: at`/api/v1/revocations/${id}` }, 'id', 'state')

const isClosed = (revocation: PrintedRecord): boolean => revocation['state'] === 'closed'

/** On standard error, one line that is written over; nothing where nobody looks. */
const reportProgress = ({ tokens_moved: moved }: PrintedRecord, isLast: boolean): void => {
  if (!process.stderr.isTTY) return
  process.stderr.write(
    `\r${Number(moved).toLocaleString('en-US')} records have followed${isLast ? '\n' : ' …'}\u001B[K`,
  )
}

/** The revocation once it is closed. */
export const followRevocation = async (api: Api, first: PrintedRecord): Promise<PrintedRecord> => {
  let [revocation, moved, stoodMs] = [first, first['tokens_moved'], 0]
  while (!isClosed(revocation)) {
    reportProgress(revocation, false)
    if (stoodMs >= STANDSTILL_MS_MAX) {
      throw new CommandFailed(
        `No record has followed for ${STANDSTILL_MS_MAX / 1000} s, and the tokens have ended all the same: is the service running?`,
      )
    }
    await delay(ASK_EVERY_MS)
    revocation = await askRevocation(api, String(first['id']))
    stoodMs = revocation['tokens_moved'] === moved ? stoodMs + ASK_EVERY_MS : 0
    moved = revocation['tokens_moved']
  }
  reportProgress(revocation, true)
  return revocation
}
