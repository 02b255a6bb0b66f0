// Scopes: items of the form resource:action, separated by single spaces (interface.md; RFC 6749 §3.3).

/** At most so many items in one request. */
export const SCOPE_ITEMS_MAX = 16
export const SCOPE_CHARACTERS_MAX = 1024
const WORD = '[A-Za-z0-9._~/-]+'
const ONE_ITEM = `${WORD}:${WORD}`
const ONE_PATTERN = `${WORD}:(\\*|${WORD})`
const ITEM = new RegExp(`^${ONE_ITEM}$`)
const PATTERN = new RegExp(`^${ONE_PATTERN}$`)

/** Patterns of a whole scope, for the OpenAPI document. */
export const SCOPE_PATTERN = `^${ONE_ITEM}( ${ONE_ITEM})*$`
export const SCOPE_PATTERNS_PATTERN = `^${ONE_PATTERN}( ${ONE_PATTERN})*$`

/** Patterns of one item, and of one item or `resource:*`. */
export const ITEM_PATTERN = ITEM.source
export const ITEM_OR_ANY_PATTERN = PATTERN.source

const parseItems = (text: string, form: RegExp): readonly string[] | undefined => {
  if (text.length > SCOPE_CHARACTERS_MAX) return undefined
  const items = text.split(' ')
  if (!items.every(item => form.test(item))) return undefined
  const distinct = [...new Set(items)].toSorted()
  return distinct.length > SCOPE_ITEMS_MAX ? undefined : distinct
}

/** The items of a requested scope, sorted, each once; undefined where the text is not a scope. */
export const parseScope = (text: string): readonly string[] | undefined => parseItems(text, ITEM)

/** The one item of a text, or undefined. */
export const parseScopeItem = (text: string): string | undefined => {
  const items = parseScope(text)
  return items?.length === 1 ? items[0] : undefined
}

/** One item, or `resource:*` for any item of the resource. */
export const parseItemOrAny = (text: string): string | undefined => {
  const items = parseScopePatterns(text)
  return items?.length === 1 ? items[0] : undefined
}

/** What an agent may ask for: items, or `resource:*` for every action on a resource. */
export const parseScopePatterns = (text: string): readonly string[] | undefined => parseItems(text, PATTERN)

export const formatScope = (items: readonly string[]): string => items.join(' ')

/** Whether one item of a scope is the pattern, or of the resource that the pattern opens with `resource:*`. */
export const matchesScope = (pattern: string, item: string): boolean =>
  pattern === item || (pattern.endsWith(':*') && item.startsWith(pattern.slice(0, -1)))

/** The first item that no pattern allows. */
export const firstScopeBeyond = (patterns: readonly string[], items: readonly string[]): string | undefined =>
  items.find(item => !patterns.some(pattern => matchesScope(pattern, item)))
