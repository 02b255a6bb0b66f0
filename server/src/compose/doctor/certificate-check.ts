// In this folder: the checks of an installation: for `mintmark doctor`, the start of `serve` and /readyz?verbose.
// Checks the TLS certificate of the service, and the authorities of client certificates: names, and time.
import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { certificatesIn } from '../../config/files.ts'
import { fail, type Finding, good, warn } from '../../domain/checkup.ts'
import { DAY_MS } from '../../../../api/values/time.ts'
import { notChecked, type Subject } from './subject.ts'

const EXPIRY_DAYS_WARNED = 30

const dayOf = (date: Date): string => date.toISOString().slice(0, 10)

const RENEW =
  'Renew it, and put the new certificate and key into the same files: a running service reads them by itself.'

/** `name`: what the certificate is, at the beginning of a sentence. */
const judgeTime = (name: string, certificate: X509Certificate, now: number): Finding | undefined => {
  const { validFromDate, validToDate } = certificate
  const daysLeft = Math.floor((validToDate.getTime() - now) / DAY_MS)
  if (validToDate.getTime() <= now) {
    return fail({ what: `${name} expired on ${dayOf(validToDate)}.`, remedy: RENEW, brief: `${name} has expired.` })
  }
  if (validFromDate.getTime() > now) {
    const what = `${name} is valid from ${validFromDate.toISOString()} on, and not yet.`
    return fail({ what, remedy: 'Correct the clock of this machine, or wait.', brief: `${name} is not valid yet.` })
  }
  if (daysLeft >= EXPIRY_DAYS_WARNED) return undefined
  const left = daysLeft === 1 ? '1 day' : `${daysLeft} days`
  const what = `${name} expires in ${left}, on ${dayOf(validToDate)}.`
  return warn({ what, remedy: RENEW, brief: `${name} expires in ${left}.` })
}

const covers = (certificate: X509Certificate, host: string): boolean =>
  (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined

/** Behind a proxy that speaks TLS to the service, callers see the proxy's certificate and not this one. */
const judgeHost = (leaf: X509Certificate, { survey: { settings } }: Subject): Finding | undefined => {
  if (settings.baseUrl === undefined) return undefined
  const host = new URL(settings.baseUrl).hostname.replace(/^\[|\]$/g, '')
  if (covers(leaf, host)) return undefined
  const finding = {
    what: `The TLS certificate is not for ${host}, the host of MINTMARK_BASE_URL.`,
    remedy: `Have one issued whose names include ${host}.`,
    brief: 'The TLS certificate is not for the host of the base URL.',
  }
  return settings.trustedProxies.length > 0 ? warn(finding) : fail(finding)
}

const judgeAuthorities = ({ survey: { settings }, now }: Subject): readonly Finding[] => {
  // All could be read, or the configuration would be wrong.
  const authorities = certificatesIn(settings.clientCertificates.listener?.authorities ?? '')
  return authorities.flatMap(one => {
    const name = `The authority of client certificates ${JSON.stringify(one.subject.replaceAll('\n', ', '))}`
    const found = judgeTime(name, one, now())
    if (found === undefined || found.status === 'ok') return []
    return [warn({ ...found, brief: 'An authority of client certificates expires soon, or has expired.' })]
  })
}

export const checkCertificate = (subject: Subject): readonly Finding[] => {
  const { settings, isTlsNamed } = subject.survey
  if (settings.tls === null) {
    return isTlsNamed
      ? notChecked('the certificate and its key cannot be used', 'Correct what `configuration` says of them.')
      : [good('No certificate is configured: a proxy ends TLS, or nobody does.')]
  }
  const [leaf, ...issuers] = certificatesIn(settings.tls.certificate)
  if (leaf === undefined) return notChecked('the file has no certificate', 'Correct MINTMARK_TLS_CERT_FILE.')
  const found = [
    judgeTime('The TLS certificate', leaf, subject.now()),
    judgeHost(leaf, subject),
    ...issuers.map(one => judgeTime('A certificate in the chain of the TLS certificate', one, subject.now())),
  ].filter(finding => finding !== undefined)
  const all = [...found, ...judgeAuthorities(subject)]
  if (all.length > 0) return all
  return [good(`The TLS certificate is good until ${dayOf(leaf.validToDate)}, and for the host of the base URL.`)]
}
