// Scope items as OAuth writes them (RFC 6749 §3.3): what each resource server means by them is its own.

/** `scope-token`, for a regular expression. */
export const SCOPE_ITEM = '[\\u0021\\u0023-\\u005b\\u005d-\\u007e]+'

const ONE_ITEM = new RegExp(`^${SCOPE_ITEM}$`)

export const isScopeItem = (text: string): boolean => ONE_ITEM.test(text)

/** Whether it is an array of scope items. A hole in the array is none. */
export const isScopeList = (value: unknown): value is readonly string[] => {
  if (!Array.isArray(value)) return false
  for (const item of value) if (typeof item !== 'string' || !isScopeItem(item)) return false
  return true
}
