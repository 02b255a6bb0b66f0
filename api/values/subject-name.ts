// Names of the subjects of certificates by which a client may be known (RFC 8705 §2.1.2), and how they are compared.
import type { SubjectKind } from './credentials.ts'
import { canonicalName, parseName } from './distinguished-name.ts'

const LABELS = '[A-Za-z0-9_][A-Za-z0-9_-]{0,62}(?:\\.[A-Za-z0-9_][A-Za-z0-9_-]{0,62})*'

/** As regular expressions for the document; a whole name and an address have none. */
export const SUBJECT_PATTERNS = {
  san_dns: `^(?=.{1,253}$)${LABELS}$`,
  san_uri: '^[A-Za-z][A-Za-z0-9+.-]*:[\\x21-\\x7E]+$',
  san_email: `^[\\x21-\\x3F\\x41-\\x7E]+@(?=.{1,253}$)${LABELS}$`,
} as const

const [HOST, URI] = [new RegExp(SUBJECT_PATTERNS.san_dns), new RegExp(SUBJECT_PATTERNS.san_uri)]
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/
const IPV6 = /^[0-9A-Fa-f:.]{2,45}$/

const normalHost = (host: string): string | undefined => (HOST.test(host) ? host.toLowerCase() : undefined)

const normalDn = (text: string): string | undefined => {
  const name = parseName(text)
  return name === undefined ? undefined : canonicalName(name)
}

/** RFC 5952, as the URL standard has it; an address of IPv4 as four numbers without leading zeros. */
const normalIp = (text: string): string | undefined => {
  if (IPV4.test(text)) return text
  return IPV6.test(text) && text.includes(':') ? URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1) : undefined
}

/** RFC 5280 §7.5: the host in any case, what stands before it as it is. */
const normalEmail = (text: string): string | undefined => {
  const [, local = '', host = ''] = /^([\x21-\x3f\x41-\x7e]+)@([^@]+)$/.exec(text) ?? []
  const normal = normalHost(host)
  return local === '' || normal === undefined ? undefined : `${local}@${normal}`
}

const NORMAL_FORMS: Readonly<Record<SubjectKind, (text: string) => string | undefined>> = {
  subject_dn: normalDn,
  san_dns: normalHost,
  san_uri: text => (URI.test(text) ? text : undefined),
  san_ip: normalIp,
  san_email: normalEmail,
}

/** The one spelling in which names of a kind are compared; undefined where the text is no such name. */
export const normalSubject = (by: SubjectKind, text: string): string | undefined => NORMAL_FORMS[by](text)
