// Audiences: the resources that a token is for, as absolute URIs (RFC 8707 §2).
import { lacksHost } from './web-address.ts'

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

/** The first resource that the agent's list does not hold. */
export const firstResourceBeyond = (allowed: readonly string[], resources: readonly string[]): string | undefined =>
  allowed.includes(ANY_RESOURCE) ? undefined : resources.find(resource => !allowed.includes(resource))

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
