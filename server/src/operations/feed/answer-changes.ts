// The facts after a position of the revocation feed, for all requests of a group at once.
import type { FeedHead, FeedPosition } from '../../../../api/values/feed.ts'
import { NO_FACTS } from '../../domain/ledger/revocation-document.ts'
import { oneByOne } from '../../domain/one-by-one.ts'
import { type OrRefusal, type Refusal, refuse } from '../../domain/refusal.ts'
import type { FeedPorts, RangeReader } from './read-range.ts'
import { signDocuments } from './sign-documents.ts'

/** `isEmpty`: there are no facts after the position. */
export type Changes = { readonly text: string; readonly isEmpty: boolean }

const OTHER_EPOCH = 'The feed has another epoch: begin with the snapshot.'
const BEYOND = 'The position is beyond the feed: begin with the snapshot.'

/** Why a follower that is at the position must start over, if so. */
export const judgePosition = (
  { epoch, position }: FeedPosition,
  head: FeedHead,
): { readonly refusal: Refusal } | undefined => {
  if (epoch !== head.epoch) return refuse('epoch_changed', OTHER_EPOCH)
  return position > head.position ? refuse('epoch_changed', BEYOND) : undefined
}

/** A look at the feed. `text`: a document without facts, where there are none after the position; else they are to be read. */
type Looked = { readonly head: FeedHead; readonly text: string | null }

/**
 * Answers each request, in order, by a look at the feed that begins once all of the group have arrived: a document without
 * facts confirms the position of each.
 */
const lookAll = async (ports: FeedPorts, requests: readonly FeedPosition[]): Promise<readonly OrRefusal<Looked>[]> => {
  const head = await ports.feed.head()
  const { epoch, now, position: at } = head
  const judged = requests.map(request => judgePosition(request, head))
  const isConfirming = requests.some(({ position }, n) => judged[n] === undefined && position === at)
  // Made of this head alone.
  const empty = { kind: 'changes', epoch, now, from: at, to: at, ...NO_FACTS } as const
  const [text = null] = isConfirming ? await signDocuments(ports, [empty]) : []
  return requests.map(({ position }, n) => judged[n] ?? { head, text: position === at ? text : null })
}

/** Looks for each request alone; an Error is the fault of that request. */
export const lookEach = (
  ports: FeedPorts,
  requests: readonly FeedPosition[],
): Promise<readonly (OrRefusal<Looked> | Error)[]> => oneByOne(requests, some => lookAll(ports, some))

/** What a request gets after its look. Each reads its own facts, in turns of its caller: no other of its group waits for them. */
export const readChanges = async (
  ranges: RangeReader,
  { position }: FeedPosition,
  { head, text }: Looked,
  by: string,
): Promise<OrRefusal<Changes>> => {
  if (text !== null) return { text, isEmpty: true }
  const document = await ranges.read({ epoch: head.epoch, from: position, to: head.position }, by)
  if (document === 'epoch_changed') return refuse('epoch_changed', OTHER_EPOCH)
  return { text: document.text, isEmpty: false }
}
