// Method and target of the request that a gateway asks about, from the one place where that gateway writes them. From any other
// place they would be the caller's choice, and a proof for one request (RFC 9449 §4.3) would pass for another.

/** `path`: the method of the check itself, and its target after `/check`. */
export const REQUEST_PLACES = ['x-original', 'x-forwarded', 'path'] as const

export type RequestPlace = (typeof REQUEST_PLACES)[number]

/** Names in small letters, as Node has them. */
export const ORIGINAL_HEADERS: Readonly<
  Record<Exclude<RequestPlace, 'path'>, { readonly method: string; readonly target: string }>
> = {
  'x-original': { method: 'x-original-method', target: 'x-original-uri' },
  'x-forwarded': { method: 'x-forwarded-method', target: 'x-forwarded-uri' },
}

const METHOD = /^[A-Z]{1,20}$/
/** Origin form (RFC 9112 §3.2.1), without the characters that a URL parser would take for others or would end at. */
const TARGET = /^\/[\u0021\u0022\u0024-\u005b\u005d-\u007e]*$/

export type OriginalRequest = {
  readonly method: string
  /** The path with its first slash, without the query. */
  readonly path: string
}

/** Undefined for what is no method and no path. */
export const parseOriginalRequest = (method: string, target: string): OriginalRequest | undefined => {
  if (!METHOD.test(method) || !TARGET.test(target)) return undefined
  const [path = '/'] = target.split('?', 1)
  return { method, path }
}
