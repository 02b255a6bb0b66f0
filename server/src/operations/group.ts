// Gathers the requests of one turn of the event loop, so that an operation on groups serves callers one at a time.

/**
 * Turns `run`, which answers a whole group in order, into a function that takes one request. Everything that arrives in
 * one turn is one group, at most `groupMax`; a lone request waits for no timer. A fault of a group is each caller's, an
 * Error among the answers is that caller's.
 */
export const inGroups = <Request, Answer>(
  run: (requests: readonly Request[]) => Promise<readonly (Answer | Error)[]>,
  groupMax: number,
  defer: (work: () => void) => void,
): ((request: Request) => Promise<Answer>) => {
  type Waiting = { request: Request; resolve: (answer: Answer) => void; reject: (fault: unknown) => void }
  let waiting: Waiting[] = []

  const serve = async (group: readonly Waiting[]): Promise<void> => {
    try {
      const answers = await run(group.map(({ request }) => request))
      if (answers.length !== group.length) throw new Error('A group was answered only in part.')
      answers.forEach((answer, n) => {
        if (answer instanceof Error) group[n]?.reject(answer)
        else group[n]?.resolve(answer)
      })
    } catch (fault) {
      for (const { reject } of group) reject(fault)
    }
  }

  const flush = (): void => {
    const gathered = waiting
    waiting = []
    for (let from = 0; from < gathered.length; from += groupMax) void serve(gathered.slice(from, from + groupMax))
  }

  return request =>
    new Promise((resolve, reject) => {
      if (waiting.push({ request, resolve, reject }) === 1) defer(flush)
    })
}
