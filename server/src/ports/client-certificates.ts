// What certificates of TLS clients say. Whether anybody vouches for them is decided where a connection ends.
import type { ClientCertificate } from '../domain/clients/client-certificate.ts'

export interface ClientCertificates {
  /** Of DER; undefined where it is not one well-formed certificate and nothing else. */
  read(der: Uint8Array): ClientCertificate | undefined
  /** Of the text of one certificate in PEM. */
  readPem(text: string): ClientCertificate | undefined
  /** Of the same text, where a client is to be known by the certificate itself; or why nobody could be. */
  pin(text: string): { readonly thumbprint: string } | { readonly wrong: string }
}
