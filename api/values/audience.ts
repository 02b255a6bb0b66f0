// Audiences: the resources that a token is for, as absolute URIs (RFC 8707 §2).
import { lacksHost, parseWebAddress } from '../../packages/verify/src/readers/web-address.ts'

/** At most so many resources in one request. */
export const AUDIENCES_MAX = 8
/** Resources that one agent may be allowed by name. */
export const RESOURCES_MAX = 64
/** Audiences that one API key may be limited to. */
export const KEY_AUDIENCES_MAX = 64
export const AUDIENCE_CHARACTERS_MAX = 512
// A scheme, a colon, something after it, and only the characters of RFC 3986 §2 without the fragment's '#'.
const ABSOLUTE_URI = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+$/

/** What an agent must hold to ask for any resource at all. */
export const ANY_RESOURCE = '*'

/** Whether the text is an absolute URI without a fragment (RFC 3986 §4.3); one of http or https names a host. */
export const isResource = (text: string): boolean =>
  text.length <= AUDIENCE_CHARACTERS_MAX && ABSOLUTE_URI.test(text) && !lacksHost(text)

const PERCENT_ENCODED = /%[0-9a-f]{2}/gi
const UNRESERVED = /[A-Za-z0-9._~-]/

const normalOctet = (encoded: string): string => {
  const character = String.fromCodePoint(Number.parseInt(encoded.slice(1), 16))
  return UNRESERVED.test(character) ? character : encoded.toUpperCase()
}

/**
 * One spelling of all that are the same resource of http or https (RFC 3986 §6.2.2, §6.2.3): case of scheme, host and
 * percent-encoding, dot segments, default port, empty path. Any other text is the same as itself alone.
 */
const normalize = (resource: string): string =>
  parseWebAddress(resource)?.href.replaceAll(PERCENT_ENCODED, normalOctet) ?? resource

/** Whether other texts may be the same resource. */
export const hasSpellings = (resource: string): boolean => parseWebAddress(resource) !== undefined

const CACHED_MAX = 16_384
const normalForms = new Map<string, string>()

/** Cached, because lists compare the same few for each of many tokens. */
const normalForm = (resource: string): string => {
  if (resource.length > AUDIENCE_CHARACTERS_MAX) return resource
  const known = normalForms.get(resource)
  if (known !== undefined) return known
  if (normalForms.size === CACHED_MAX) normalForms.clear()
  const form = normalize(resource)
  normalForms.set(resource, form)
  return form
}

/** The entry of a list that is this resource: one that is spelled alike, else the first; undefined where none is. */
export const sameResourceIn = (list: readonly string[], resource: string): string | undefined => {
  if (list.includes(resource)) return resource
  const form = normalForm(resource)
  return list.find(one => normalForm(one) === form)
}

export const hasResource = (list: readonly string[], resource: string): boolean =>
  sameResourceIn(list, resource) !== undefined

/** Each resource once, as the list first spells it. */
export const distinctResources = (list: readonly string[]): readonly string[] => {
  const forms = list.map(normalForm)
  return list.filter((_, n) => forms.indexOf(forms[n] ?? '') === n)
}

/** Whether a token for `own` exists for a caller that is limited to `audiences`; null: to none. */
export const isForAny = (audiences: readonly string[] | null, own: readonly string[]): boolean =>
  audiences === null || own.some(one => hasResource(audiences, one))

/** The first resource that the agent's list does not hold. */
export const firstResourceBeyond = (allowed: readonly string[], resources: readonly string[]): string | undefined =>
  allowed.includes(ANY_RESOURCE) ? undefined : resources.find(resource => !hasResource(allowed, resource))

/**
 * What an agent's tokens may be for: its resources and its default audience, which is the service's where it has none.
 * `serviceAudience` is null where it is not known.
 */
export const audiencesOfAgent = (
  { resources, defaultAudience }: { readonly resources: readonly string[]; readonly defaultAudience: string | null },
  serviceAudience: string | null,
): readonly string[] => {
  const fallback = defaultAudience ?? serviceAudience
  return fallback === null ? resources : [...resources, fallback]
}
