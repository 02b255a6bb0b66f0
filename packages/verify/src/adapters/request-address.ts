// The address of a request as its caller writes it, which a DPoP proof is compared with (RFC 9449 §4.3).
import type { Verifier } from '../verifier.ts'
import type { Guard } from './guard.ts'

/** Origin form and absolute form (RFC 9112 §3.2). In the second nothing stands before the path but scheme, host and port. */
const TARGET = /^(?:https?:\/\/[\w.~:[\]-]+)?(\/[^?]*)/i
/** An origin, and absolute form of the root. A query without a path is none: a router that looks for the first slash would find another path in that. */
const ORIGIN = /^https?:\/\/[\w.~:[\]-]+$/i

/**
 * The path of a target, as text. Not resolved: for `/admin/../public` routers differ in where they lead, and a proof for one of the
 * two paths must not pass for the other. Undefined for any other form, such as `*`.
 */
export const pathOf = (target: string): string | undefined => {
  const [, path] = TARGET.exec(target) ?? []
  return path ?? (ORIGIN.test(target) ? '/' : undefined)
}

type Addressed = { readonly target: string; readonly ownOrigin: string }

/**
 * The origin of the audience with the path of the request. What the header Host says is the caller's choice, so it counts only
 * where the audience is no URL. Empty for a target without a path, and for a Host that is more than host and port, as where it holds
 * a path of its own: no proof is of the empty URL.
 */
export const addressOf = (
  { resource }: Verifier,
  { prefix = '' }: Pick<Guard<never>, 'prefix'>,
  { target, ownOrigin }: Addressed,
): string => {
  const path = pathOf(target)
  const isUrl = URL.canParse(resource.audience) && /^https?:/i.test(resource.audience)
  const origin = isUrl ? new URL(resource.audience).origin : ownOrigin
  return path === undefined || !ORIGIN.test(origin) ? '' : `${origin}${prefix}${path}`
}
