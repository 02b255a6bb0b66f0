// What a fuzzed request may be answered, and what must not be seen beside it.
import type { FuzzAnswer } from './send.ts'

/** What is wrong with the answer; undefined where nothing is. 503 is for what has no room, and says when to come again. */
export const faultOf = (answer: FuzzAnswer): string | undefined => {
  if (answer === 'none') return undefined
  const { status, head, text } = answer
  if (status === 503 && /^retry-after: \d+\r?$/im.test(head)) return undefined
  if (status >= 500) return `${status} ${text.slice(0, 200)}`
  // A HEAD has no body, and what is cut into another method neither.
  if (status < 400 || text === '') return undefined
  try {
    const { error, error_description: description } = JSON.parse(text) as Record<string, unknown>
    return typeof error === 'string' && typeof description === 'string'
      ? undefined
      : `${status} without error: ${text.slice(0, 200)}`
  } catch {
    return `${status} is not JSON: ${text.slice(0, 200)}`
  }
}

/** Lines of the log that report a fault of the service's own. */
export const faultsIn = (log: string): readonly string[] =>
  log.split('\n').filter(line => line.includes('"msg":"fault"') || line.includes('background work failed'))
