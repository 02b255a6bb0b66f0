// The query of `/check`, which the operator writes into the gateway's configuration: it can ask for more, and never for less.
import { parsePairs } from '../../verify/src/readers/form.ts'
import { isScopeList } from '../../verify/src/readers/scope.ts'

export type CheckQuery = {
  readonly scopes: readonly string[]
  /** The one audience that is accepted; undefined: each of the configured ones. */
  readonly audience: string | undefined
}

export const NO_QUERY: CheckQuery = { scopes: [], audience: undefined }

export const isScopes = (text: string): boolean => isScopeList(text.split(' '))

/**
 * Undefined where it is not as it should be: a parameter that came out empty or misspelled would else ask for nothing.
 * Of several `scope` all are needed; several audiences would be a choice.
 */
export const parseCheckQuery = (query: string): CheckQuery | undefined => {
  const scopes: string[] = []
  let audience: string | undefined
  const pairs = parsePairs(query)
  if (pairs === undefined) return undefined
  for (const [name, value] of pairs) {
    if (name === 'scope' && isScopes(value)) scopes.push(...value.split(' '))
    else if (name === 'audience' && value !== '' && audience === undefined) audience = value
    else return undefined
  }
  return { scopes, audience }
}
