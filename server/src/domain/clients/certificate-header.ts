// Configuration of the header in which a proxy forwards the certificate of its client.
import type { CertificateForm } from '../../../../packages/verify/src/readers/certificate-header.ts'

export type CertificateHeader = {
  /** The name of the header in lower case. */
  readonly name: string
  readonly form: CertificateForm
  /** Whether the proxies forward only certificates with a verified chain. */
  readonly isVerified: boolean
  /** Networks as address/bits: the header is accepted from no other peer. */
  readonly proxies: readonly string[]
}
