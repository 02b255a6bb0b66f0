// The address of a request as its caller writes it, which a DPoP proof is compared with (RFC 9449 §4.3).
import type { Verifier } from '../verifier.ts'
import type { Guard } from './guard.ts'

/** Origin form and absolute form (RFC 9112 §3.2). In the second nothing stands before the path but scheme, host and port. */
const TARGET = /^(?:https?:\/\/[\w.~:[\]-]+)?(\/[^?]*)/i
/** Absolute form of the root, without a query: a router that looks for the first slash would find another path in that. */
const ROOT = /^https?:\/\/[\w.~:[\]-]+$/i

/**
 * The path of a target, as text. Not resolved: for `/admin/../public` routers differ in where they lead, and a proof for one of the
 * two paths must not pass for the other. Undefined for any other form, such as `*`.
 */
export const pathOf = (target: string): string | undefined => {
  const [, path] = TARGET.exec(target) ?? []
  return path ?? (ROOT.test(target) ? '/' : undefined)
}

type Addressed = { readonly target: string; readonly ownOrigin: string }

/**
 * The origin of the audience with the path of the request. What the header Host says is the caller's choice, so it counts only
 * where the audience is no URL. Empty for a target without a path: no proof is of the empty URL.
 */
export const addressOf = (
  { resource }: Verifier,
  { prefix = '' }: Pick<Guard<never>, 'prefix'>,
  { target, ownOrigin }: Addressed,
): string => {
  const path = pathOf(target)
  if (path === undefined) return ''
  const isUrl = URL.canParse(resource.audience) && /^https?:/i.test(resource.audience)
  return `${isUrl ? new URL(resource.audience).origin : ownOrigin}${prefix}${path}`
}
