// What both lists of the audit do: they are of the whole service, so a caller who may see only a part of it sees neither.
import { audiencesOf } from '../domain/caller.ts'
import type { PositionedList } from '../domain/page.ts'
import { type OrRefusal, refuse } from '../domain/refusal.ts'
import type { Ports } from '../ports.ts'
import { type ListPage, type Reading, readPage } from './read-page.ts'

export const readAudit = async <F extends object, R>(
  ports: Pick<Ports, 'secrets'>,
  list: Extract<PositionedList, 'audit' | 'refusals'>,
  reading: Reading<F, R>,
): Promise<OrRefusal<ListPage<R>>> => {
  if (audiencesOf(reading.reader) !== null) {
    return refuse('insufficient_scope', 'This API key is limited to audiences; the audit is of the whole service.')
  }
  return readPage(ports, list, reading)
}
