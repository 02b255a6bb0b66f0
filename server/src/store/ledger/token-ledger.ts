// The ledger's port, but for what each store does in its own way because it is done most.
import { setImmediate as turn } from 'node:timers/promises'
import type { TokenLedger } from '../../ports/ports.ts'
import type { Writer } from '../subjects.ts'
import { listEndedTokens } from '../lists/list-history.ts'
import { listLineage } from '../lists/list-lineage.ts'
import { selectMarkedAgents } from './select-agents.ts'
import { listLiveTokens } from '../lists/list-tokens.ts'
import { namePage, nameRecord } from '../lists/read-names.ts'
import type { Reader } from '../snapshot.ts'
import type { NameCaches } from './name-caches.ts'
import { explainToken } from './explain-token.ts'
import { showToken } from './show-token.ts'

/** Runs reads one after another with a turn of the event loop between them: a long page delays others by one page only. */
const oneAtATime = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(read: () => Promise<T>): Promise<T> => {
    const next = last.then(() => turn()).then(read)
    last = next.catch(() => undefined)
    return next
  }
}

/** What a store does in its own way. */
export type HotLedger = Pick<TokenLedger, 'find' | 'insert' | 'exclusively'>

export const makeTokenLedger = (
  { read }: Reader,
  nameCaches: NameCaches,
  { call }: Writer,
  hot: HotLedger,
): TokenLedger => {
  const queued = oneAtATime()
  return {
    ...hot,
    end: (address, reason, act, until) => call('endToken', { address, reason, act }, until),
    endAll: (conditions, reason, act) => call('endAll', { conditions, reason, act }),
    show: (tokenId, named) => read(snapshot => nameRecord(showToken(snapshot, nameCaches, tokenId), named)),
    explain: (tokenId, named) => read(snapshot => explainToken(snapshot, { nameCaches, named }, tokenId)),
    selectAgents: (marks, among) => read(() => selectMarkedAgents(marks, among)),
    listLive: request =>
      queued(() => read(snapshot => namePage(listLiveTokens(snapshot, nameCaches, request), request.named))),
    listLineage: request =>
      queued(() => read(snapshot => namePage(listLineage(snapshot, nameCaches, request), request.named))),
    listEnded: request =>
      queued(() => read(snapshot => namePage(listEndedTokens(snapshot, nameCaches, request), request.named))),
  }
}
