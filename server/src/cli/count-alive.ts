// How many tokens something would end, printed before it is done: a dry run of the kill switch.
import type { z } from 'zod'
import { createRevocation } from '../../../api/revocations.ts'
import { type Api, ApiRefusal } from './remote/api.ts'
import { CommandFailed } from './terminal/exit.ts'
import type { PrintedRecord } from './terminal/print.ts'

export type RevocationBody = z.input<(typeof createRevocation)['body']>

/** Asks for a dry run with these conditions. */
export const preview = async (api: Api, conditions: RevocationBody): Promise<PrintedRecord> => {
  const answer = await api.call(createRevocation, { body: { ...conditions, dry_run: true } })
  if (typeof answer['tokens'] === 'number') return answer
  throw new CommandFailed('The answer is no dry run: is the URL that of a service of this version?')
}

/** `3`, or `at least 10,000`. */
export const formatPreviewCount = ({ tokens, tokens_exact: isExact }: PrintedRecord): string =>
  `${isExact === true ? '' : 'at least '}${Number(tokens).toLocaleString('en-US')}`

/** `3 alive now`, or, for a caller who may not count, that. */
export const countAlive = async (api: Api, conditions: RevocationBody): Promise<string> => {
  try {
    return `${formatPreviewCount(await preview(api, conditions))} alive now`
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 403) return 'how many this credential may not count'
    throw error
  }
}
