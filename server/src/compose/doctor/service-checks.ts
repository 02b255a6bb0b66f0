// Checks the running service from outside: that its address leads to it, and what it says of itself.
import { fail, type Finding, good, warn } from '../../domain/checkup.ts'
import { type BadComponent, isRecord, type ServiceSeen } from './service-seen.ts'
import type { Subject } from './subject.ts'

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
  const { url, components } = service
  if (components === undefined) return [good(`The service answers at ${url}; its /readyz is not reachable there.`)]
  const bad = components.map(judgeComponent)
  return bad.length > 0 ? bad : [good(`The service answers at ${url}, and all of its components are ok.`)]
}
