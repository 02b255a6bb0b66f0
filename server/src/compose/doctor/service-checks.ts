// Checks the running service from outside: that its address leads to it, what it says of itself, and whether callers can forge
// the address that it sees.
import { networkInterfaces } from 'node:os'
import { fail, type Finding, good, warn } from '../../domain/checkup.ts'
import { makeNetworks } from '../../http/wire/networks.ts'
import { type BadComponent, isRecord, type Readiness, type ServiceSeen } from './service-seen.ts'
import { notChecked, type Subject } from './subject.ts'

const TLS_REMEDY =
  'Correct the certificate that is served there, or name your own authority in NODE_EXTRA_CA_CERTS for this command.'

/** Why the address does not lead to the service; undefined where it does. */
const judgeAddress = ({ url, isNamed, metadata }: ServiceSeen): Finding | undefined => {
  if ('unreached' in metadata) {
    const what = `No service can be reached at ${url}: ${metadata.unreached}.`
    if (metadata.isTls) return fail({ what, remedy: TLS_REMEDY })
    const remedy = 'Start it with `mintmark serve`; if it runs, look at the name, the proxy and the firewall between.'
    return isNamed ? fail({ what, remedy }) : warn({ what, remedy })
  }
  const issuer = isRecord(metadata.json) ? metadata.json['issuer'] : undefined
  if (metadata.status === 200 && issuer === url) return undefined
  const remedy = 'Correct MINTMARK_BASE_URL, or the proxy: every path below the base URL must reach the service.'
  if (typeof issuer === 'string') {
    return fail({ what: `The service at ${url} has the base URL ${JSON.stringify(issuer)}.`, remedy })
  }
  return fail({ what: `What answers at ${url} is not Mintmark (status ${metadata.status} for its metadata).`, remedy })
}

const judgeComponent = ({ name, status, reason }: BadComponent): Finding => {
  const what = `The service reports ${name}: ${status}. ${reason}`.trim()
  const remedy = 'Look at its log, and run this command on its machine.'
  return status === 'unavailable' && name === 'store' ? fail({ what, remedy }) : warn({ what, remedy })
}

export const checkService = async (subject: Subject): Promise<readonly Finding[]> => {
  const service = await subject.service()
  const wrong = judgeAddress(service)
  if (wrong !== undefined) return [wrong]
  const { url, plain } = service
  if (plain === undefined) return [good(`The service answers at ${url}; its /readyz is not reachable there.`)]
  const bad = plain.bad.map(judgeComponent)
  return bad.length > 0 ? bad : [good(`The service answers at ${url}, and all of its components are ok.`)]
}

const isOneOfOurs = (networks: readonly string[]): boolean => {
  const isProxy = makeNetworks(networks)
  return Object.values(networkInterfaces()).some(all => all?.some(({ address }) => isProxy(address)) === true)
}

const FORGED = {
  remedy:
    'Have every proxy of MINTMARK_TRUSTED_PROXIES overwrite X-Forwarded-For or append to it, and delete Forwarded; trust no other address.',
}

type Asked = { readonly plain: Readiness; readonly forgedFor: Readiness; readonly forged: Readiness }

/** `isConfigured`: whether proxies are trusted; undefined where only the service knows. */
const judgeHeaders = ({ plain, forgedFor, forged }: Asked, isConfigured: boolean | undefined): Finding => {
  if (forgedFor.forwarded === 'test_address_believed' || forged.forwarded === 'test_address_believed') {
    const header = forgedFor.forwarded === 'test_address_believed' ? 'X-Forwarded-For' : 'Forwarded'
    const what = `A caller chooses the address that the service sees: it believed one that this command made up in ${header}.`
    return fail({ what, ...FORGED })
  }
  if (plain.forwarded === 'ignored') {
    const what =
      'A proxy says whom it forwards for, and is not believed: limits and the audit log see the address of the proxy.'
    return warn({ what, remedy: 'Add the address of the proxy to MINTMARK_TRUSTED_PROXIES.' })
  }
  if (plain.forwarded === 'believed' && forged.forwarded === 'ignored') {
    const what =
      'A caller who sends Forwarded hides behind the address of the proxy: two headers reach the service and disagree.'
    return warn({ what, ...FORGED })
  }
  if (plain.forwarded === null && isConfigured === true) {
    const what =
      'Proxies are trusted, and no forwarded address reached the service: no proxy was passed, or it names no caller.'
    return warn({
      what,
      remedy: 'Have the proxy set X-Forwarded-For; or run this where the base URL leads through the proxy.',
    })
  }
  return good(
    plain.forwarded === null
      ? 'No proxy names callers, and nobody is believed who does.'
      : 'The address of a caller reaches the service, and a forged one does not.',
  )
}

export const checkProxyHeaders = async (subject: Subject): Promise<readonly Finding[]> => {
  const service = await subject.service()
  if (judgeAddress(service) !== undefined) return notChecked('the service does not answer', 'See `service`.')
  const { trustedProxies } = subject.survey.settings
  if (isOneOfOurs(trustedProxies)) {
    return [good('Not checked: this machine is one of the trusted proxies, which may name any address.')]
  }
  const { plain, forgedFor, forged } = service
  if (plain === undefined || forgedFor === undefined || forged === undefined) {
    return [good(`Not checked: /readyz is not reachable at ${service.url}. Run this where it is, through the proxy.`)]
  }
  return [judgeHeaders({ plain, forgedFor, forged }, service.isNamed ? undefined : trustedProxies.length > 0)]
}
