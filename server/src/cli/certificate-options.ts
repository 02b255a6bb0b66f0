// The options of a new credential that name a TLS certificate in place of a secret (RFC 8705 §2), under the names of the API.
import type { Command } from 'commander'
import { readDocument } from './terminal/standard-input.ts'

export type CertificateOptions = {
  readonly subjectDn?: string
  readonly sanDns?: string
  readonly sanUri?: string
  readonly sanIp?: string
  readonly sanEmail?: string
  readonly certificate?: readonly string[]
}

export const addCertificateOptions = (command: Command): Command =>
  command
    .optionsGroup('A name in its TLS certificate in place of a secret (tls_client_auth), one of:')
    .option('--subject-dn <dn>', 'the whole subject, as RFC 4514 writes it')
    .option('--san-dns <name>', 'a host name')
    .option('--san-uri <uri>', 'a URI')
    .option('--san-ip <address>', 'an address')
    .option('--san-email <address>', 'an e-mail address')
    .optionsGroup('Its TLS certificate itself in place of a secret (self_signed_tls_client_auth):')
    .option('--certificate <file...>', 'a certificate in PEM, one a file (repeatable), or - for standard input')

const subjectOf = ({ subjectDn, sanDns, sanUri, sanIp, sanEmail }: CertificateOptions) => {
  const names = { subject_dn: subjectDn, san_dns: sanDns, san_uri: sanUri, san_ip: sanIp, san_email: sanEmail }
  return Object.values(names).some(name => name !== undefined) ? { tls_client_auth: names } : {}
}

/** Nothing where no certificate is named. The service refuses two names, and two kinds. */
export const certificateTrustOf = async (options: CertificateOptions) => {
  const { certificate: files } = options
  if (files === undefined) return subjectOf(options)
  const certificates = await Promise.all(files.map(readDocument))
  return { ...subjectOf(options), self_signed_tls_client_auth: { certificates } }
}
