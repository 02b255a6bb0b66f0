// Sends an export: a page is read only once the caller has taken the one before it, and what is not whole never looks so.
import type { ServerResponse } from 'node:http'
import type { InTime } from '../../ports/deadline.ts'
import type { IdleTime } from '../wire/idle-time.ts'
import type { TextPage } from './export-binding.ts'

type Transfer = {
  readonly response: ServerResponse
  /** Already read: it stands for the 200. */
  readonly first: TextPage
  /** The one after it, and so on. */
  readonly read: () => Promise<TextPage>
  readonly idleTime: IdleTime
  /** How long the caller may take for one page. */
  readonly patience: InTime
}

/** Resolves once the system, or a reader in this process, has taken the whole text, or the connection is no more. */
const handOver = (response: ServerResponse, text: string): Promise<void> =>
  new Promise(resolve => {
    if (text === '' || response.destroyed) return resolve()
    const taken = (): void => {
      response.off('close', taken).off('drain', taken)
      resolve()
    }
    response.once('close', taken)
    const hasRoom = response.write(text, () => hasRoom && taken())
    if (!hasRoom) response.once('drain', taken)
  })

/** A page that is on its way. */
type Sent = { readonly isLast: boolean; readonly handed: Promise<void> }

/**
 * Sends all pages. Throws where one cannot be read or is not taken in time; its caller then destroys the response,
 * so that the last chunk, which says that it was all, is never sent (RFC 9112 §8). `gone`: nobody listens any more.
 */
export const sendPages = async ({ response, first, read, ...bounds }: Transfer): Promise<'sent' | 'gone'> => {
  const send = ({ text, isLast }: TextPage): Sent => ({ isLast, handed: handOver(response, text) })
  if (response.destroyed) return 'gone'
  // The first page may be empty, and the next one far.
  response.flushHeaders()
  let sent: Sent | undefined = send(first)
  while (sent !== undefined) {
    await bounds.patience(sent.handed)
    if (response.destroyed) return 'gone'
    if (sent.isLast) {
      response.end()
      return 'sent'
    }
    // Its sending belongs to the step: it takes as long as its reading.
    sent = await bounds.idleTime(async () => (response.destroyed ? undefined : send(await read())))
  }
  return 'gone'
}
