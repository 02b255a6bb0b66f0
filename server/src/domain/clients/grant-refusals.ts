// Refusals of a scope or a resource, to an agent that is authenticated: what is wrong, and what the agent may have.
import { parseScope, SCOPE_ITEMS_MAX } from '../../../../api/values/scope.ts'
import { refuse } from '../refusal.ts'

/** How many allowed items a description lists; it counts the rest. A resource is longer than an item. */
const ITEMS_SHOWN_MAX = 8
const RESOURCES_SHOWN_MAX = 5

/** What a description may contain (RFC 6749 §5.2), of a length that is read. */
const SHOWN = /^[\x21\x23-\x5B\x5D-\x7E]{1,64}$/

const formatAllowed = (allowed: readonly string[], most: number, separator: string): string => {
  const more = allowed.length - most
  return allowed.slice(0, most).join(separator) + (more > 0 ? ` and ${more} more` : '')
}

/** Refuses an item of the scope. `whose` names the owner of `allowed`. */
export const refuseScopeItem = (
  item: string,
  allowed: readonly string[],
  whose: 'this agent may have' | 'the subject_token carries' | 'the issuer of the JWT allows',
): ReturnType<typeof refuse> =>
  refuse(
    'invalid_scope',
    `The scope holds ${item}, which is not among what ${whose}: ${formatAllowed(allowed, ITEMS_SHOWN_MAX, ' ')}.`,
  )

/** Refuses a resource. `who` owns `allowed`. */
export const refuseResource = (
  resource: string,
  allowed: readonly string[],
  who: 'it may ask for' | 'the issuer of the JWT allows' | 'the assertion allows' = 'it may ask for',
): ReturnType<typeof refuse> => {
  const named = formatAllowed(allowed, RESOURCES_SHOWN_MAX, ', ')
  return refuse('invalid_target', `This agent may not ask for the resource ${resource}: ${who} ${named || 'none'}.`)
}

export const refuseScopeForm = (requested: string): ReturnType<typeof refuse> => {
  const wrong = requested.split(' ').find(item => SHOWN.test(item) && parseScope(item) === undefined)
  const form = `at most ${SCOPE_ITEMS_MAX} items of the form resource:action, separated by one space each`
  return refuse('invalid_scope', `The scope is malformed${wrong === undefined ? '' : ` at ${wrong}`}: send ${form}.`)
}
