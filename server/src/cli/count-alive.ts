// How many tokens something would end, told before it is done: a dry run of the kill switch.
import { type Api, ApiRefusal } from './remote/api.ts'
import { CommandFailed } from './terminal/exit.ts'
import type { PrintedRecord } from './terminal/print.ts'

/** Asks for a dry run with these conditions, under the names of the API. */
export const preview = async (api: Api, conditions: PrintedRecord): Promise<PrintedRecord> => {
  const json = { ...conditions, dry_run: true }
  const answer = await api.ask({ method: 'POST', path: '/api/v1/revocations', json })
  if (typeof answer['tokens'] === 'number') return answer
  throw new CommandFailed('The answer is no dry run: is the URL that of a service of this version?')
}

/** `3`, or `at least 10,000`. */
export const formatPreviewCount = ({ tokens, tokens_exact: isExact }: PrintedRecord): string =>
  `${isExact === true ? '' : 'at least '}${Number(tokens).toLocaleString('en-US')}`

/** `3 alive now`; who may not count is told so instead. */
export const countAlive = async (api: Api, conditions: PrintedRecord): Promise<string> => {
  try {
    return `${formatPreviewCount(await preview(api, conditions))} alive now`
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 403) return 'how many this credential may not count'
    throw error
  }
}
