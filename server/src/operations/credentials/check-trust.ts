// Checks what a credential is to trust in place of a secret, before it is kept.
import { normalSubject, PINNED_CERTIFICATES_MAX } from '../../domain/clients/client-certificate.ts'
import { SUBJECT_KINDS, type SubjectKind } from '../../../../api/values/credentials.ts'
import {
  type ClientTrust,
  isPlainName,
  PREFIX_CHARACTERS_MIN,
  parseSubjectPattern,
  TRUST_CHARACTERS_MAX,
} from '../../domain/clients/client-trust.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { ClientAssertions, ClientCertificates } from '../../ports/client-keys.ts'
import type { ServiceProfile } from '../../ports/ports.ts'

/** As it was asked for; a member that is null was not given. */
export type TrustRequest =
  | {
      readonly kind: 'private_key_jwt'
      readonly keys: readonly unknown[] | null
      readonly jwksUri: string | null
      readonly takesTokenEndpoint: boolean
    }
  | {
      readonly kind: 'workload_identity'
      readonly issuer: string
      readonly subject: string
      readonly audience: string | null
      readonly jwksUri: string | null
    }
  | { readonly kind: 'tls_client_auth'; readonly names: Readonly<Record<SubjectKind, string | null>> }
  /** Each in PEM. */
  | { readonly kind: 'self_signed_tls_client_auth'; readonly certificates: readonly string[] }

export type TrustPorts = {
  readonly certificates: Pick<ClientCertificates, 'pin'>
  readonly assertions: Pick<ClientAssertions, 'isAddress' | 'readKeys'>
  /** Its issuer is empty where it is not known. */
  readonly profile: Pick<ServiceProfile, 'issuer'>
}

type Checked = OrRefusal<{ readonly trust: ClientTrust }>

const wrong = (member: string, why: string) => refuse('invalid_request', `${member} ${why}.`)

const ADDRESS_FORM = `is no https address without a password, of at most ${TRUST_CHARACTERS_MAX} characters`

const isAddress = ({ assertions }: TrustPorts, address: string): boolean =>
  isPlainName(address) && !address.includes('#') && assertions.isAddress(address)

type KeysWanted = Extract<TrustRequest, { kind: 'private_key_jwt' }>

const checkKeys = (ports: TrustPorts, { kind, keys, jwksUri, takesTokenEndpoint }: KeysWanted): Checked => {
  if ((keys === null) === (jwksUri === null)) return wrong('private_key_jwt', 'needs exactly one of jwks and jwks_uri')
  if (keys === null) {
    return jwksUri !== null && isAddress(ports, jwksUri)
      ? { trust: { kind, jwks: null, jwksUri, takesTokenEndpoint } }
      : wrong('private_key_jwt.jwks_uri', ADDRESS_FORM)
  }
  const jwks = ports.assertions.readKeys(keys)
  return 'wrong' in jwks
    ? wrong('private_key_jwt.jwks', jwks.wrong)
    : { trust: { kind, jwks, jwksUri: null, takesTokenEndpoint } }
}

const SUBJECT_FORM =
  `is not at most ${TRUST_CHARACTERS_MAX} printable characters without blanks, or ${PREFIX_CHARACTERS_MIN} or more of ` +
  'them and a * at the end'

type WorkloadWanted = Extract<TrustRequest, { kind: 'workload_identity' }>

const SPIFFE_ISSUER = /^spiffe:\/\/[a-z0-9._-]{1,255}$/

/** An address where metadata may be, or a SPIFFE trust domain, which has none. */
const issuerFault = (ports: TrustPorts, { issuer, jwksUri }: WorkloadWanted): string | undefined => {
  if (SPIFFE_ISSUER.test(issuer)) {
    return jwksUri === null ? 'is a trust domain, whose keys stand at no known address: send jwks_uri' : undefined
  }
  if (!isAddress(ports, issuer) || issuer.includes('?')) return ADDRESS_FORM
  // No token of ours is an assertion: whoever holds one would be the agent that it was given to. A terminal that does
  // not know the issuer lets it be written; it is refused wherever it is used (check-assertion.ts).
  return issuer === ports.profile.issuer ? 'is this service, which is no issuer of workloads' : undefined
}

const checkWorkload = (ports: TrustPorts, wanted: WorkloadWanted): Checked => {
  const { kind, issuer, subject, audience, jwksUri } = wanted
  const fault = issuerFault(ports, wanted)
  if (fault !== undefined) return wrong('workload_identity.issuer', fault)
  if (parseSubjectPattern(subject) === undefined) return wrong('workload_identity.subject', SUBJECT_FORM)
  if (audience !== null && !isPlainName(audience)) {
    return wrong(
      'workload_identity.audience',
      `is not 1 to ${TRUST_CHARACTERS_MAX} printable characters without blanks`,
    )
  }
  if (jwksUri !== null && !isAddress(ports, jwksUri)) return wrong('workload_identity.jwks_uri', ADDRESS_FORM)
  return { trust: { kind, issuer, subject, audience, jwksUri } }
}

const SUBJECT_FORMS: Readonly<Record<SubjectKind, string>> = {
  subject_dn:
    'is no distinguished name as RFC 4514 writes it, such as CN=reports,O=Example,C=DE, the last part of the certificate first',
  san_dns: 'is no host name; a wildcard is none',
  san_uri: 'is no absolute URI',
  san_ip: 'is no address of IPv4 or IPv6',
  san_email: 'is no e-mail address in ASCII',
}

type SubjectWanted = Extract<TrustRequest, { kind: 'tls_client_auth' }>

const checkSubject = ({ kind, names }: SubjectWanted): Checked => {
  const given = SUBJECT_KINDS.flatMap(by => (names[by] === null ? [] : [{ by, name: names[by] }]))
  const [only, ...others] = given
  if (only === undefined || others.length > 0) return wrong(kind, `needs exactly one of ${SUBJECT_KINDS.join(', ')}`)
  return only.name.length <= TRUST_CHARACTERS_MAX && normalSubject(only.by, only.name) !== undefined
    ? { trust: { kind, ...only } }
    : wrong(`${kind}.${only.by}`, `${SUBJECT_FORMS[only.by]}, of at most ${TRUST_CHARACTERS_MAX} characters`)
}

type PinnedWanted = Extract<TrustRequest, { kind: 'self_signed_tls_client_auth' }>

const checkPinned = ({ certificates: reader }: TrustPorts, { kind, certificates }: PinnedWanted): Checked => {
  if (certificates.length === 0 || certificates.length > PINNED_CERTIFICATES_MAX) {
    return wrong(`${kind}.certificates`, `has not 1 to ${PINNED_CERTIFICATES_MAX} certificates`)
  }
  const thumbprints = new Set<string>()
  for (const pinned of certificates.map(reader.pin)) {
    if ('wrong' in pinned) return wrong(`${kind}.certificates`, pinned.wrong)
    thumbprints.add(pinned.thumbprint)
  }
  return { trust: { kind, thumbprints: [...thumbprints] } }
}

export const checkTrust = (ports: TrustPorts, wanted: TrustRequest): Checked => {
  if (wanted.kind === 'private_key_jwt') return checkKeys(ports, wanted)
  if (wanted.kind === 'workload_identity') return checkWorkload(ports, wanted)
  return wanted.kind === 'tls_client_auth' ? checkSubject(wanted) : checkPinned(ports, wanted)
}
