// Reads the client certificate that a proxy wrote into a header.
import {
  type CertificateForm,
  parseCertificateHeader,
} from '../../../../../packages/verify/src/readers/certificate-header.ts'
import type { ClientCertificate } from '../../../domain/clients/client-certificate.ts'
import type { ClientCertificates } from '../../../ports/client-keys.ts'

/** Returns undefined unless the value is one certificate in this form. */
export const readCertificateHeader = (
  certificates: ClientCertificates,
  form: CertificateForm,
  value: string,
): ClientCertificate | undefined => {
  const found = parseCertificateHeader(form, value)
  if (found === undefined) return undefined
  return 'pem' in found ? certificates.readPem(found.pem) : certificates.read(Buffer.from(found.base64, 'base64'))
}
