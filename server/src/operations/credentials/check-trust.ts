// Checks what a credential is to trust in place of a secret, before it is kept: what the schema of the body cannot check.
import type { ClientTrust, WorkloadTrust } from '../../domain/clients/client-trust.ts'
import type { CertificateTrust } from '../../domain/clients/client-certificate.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { ClientAssertions, ClientCertificates } from '../../ports/client-keys.ts'
import type { ServiceProfile } from '../../ports/ports.ts'

type KeysWanted = {
  readonly kind: 'private_key_jwt'
  /** Null where `jwksUri` is not, and the other way round. */
  readonly keys: readonly unknown[] | null
  readonly jwksUri: string | null
  readonly takesTokenEndpoint: boolean
}

/** Each in PEM. */
type PinnedWanted = { readonly kind: 'self_signed_tls_client_auth'; readonly certificates: readonly string[] }

/** As it was asked for. */
export type TrustRequest =
  | KeysWanted
  | WorkloadTrust
  | Extract<CertificateTrust, { readonly kind: 'tls_client_auth' }>
  | PinnedWanted

export type TrustPorts = {
  readonly certificates: Pick<ClientCertificates, 'pin'>
  readonly assertions: Pick<ClientAssertions, 'readKeys'>
  /** Its issuer is empty where it is not known. */
  readonly profile: Pick<ServiceProfile, 'issuer'>
}

type Checked = OrRefusal<{ readonly trust: ClientTrust }>

const wrong = (member: string, why: string) => refuse('invalid_request', `${member} ${why}.`)

const checkKeys = ({ assertions }: TrustPorts, { keys, ...rest }: KeysWanted): Checked => {
  if (keys === null) return { trust: { ...rest, jwks: null } }
  const jwks = assertions.readKeys(keys)
  return 'wrong' in jwks ? wrong('private_key_jwt.jwks', jwks.wrong) : { trust: { ...rest, jwks } }
}

const checkPinned = ({ certificates: reader }: TrustPorts, { kind, certificates }: PinnedWanted): Checked => {
  const thumbprints = new Set<string>()
  for (const pinned of certificates.map(reader.pin)) {
    if ('wrong' in pinned) return wrong(`${kind}.certificates`, pinned.wrong)
    thumbprints.add(pinned.thumbprint)
  }
  return { trust: { kind, thumbprints: [...thumbprints] } }
}

export const checkTrust = (ports: TrustPorts, wanted: TrustRequest): Checked => {
  if (wanted.kind === 'private_key_jwt') return checkKeys(ports, wanted)
  if (wanted.kind === 'self_signed_tls_client_auth') return checkPinned(ports, wanted)
  // No token of ours is an assertion: its holder would be the agent that it was given to. A terminal that does not know
  // the issuer lets it be written; it is refused wherever it is used (check-assertion.ts).
  return wanted.kind === 'workload_identity' && wanted.issuer === ports.profile.issuer
    ? wrong('workload_identity.issuer', 'is this service, which is no issuer of workloads')
    : { trust: wanted }
}
