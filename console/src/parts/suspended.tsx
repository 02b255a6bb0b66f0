// What a restore suspended, on the first line of every screen: its requests are refused while all else looks well.
import type { ShowStatusAnswer } from '../../../packages/client/src/index.ts'
import { useStatus } from '../reading/status.ts'
import { Command } from './command.tsx'

const REFRESH_MS = 30_000

const KINDS = [
  ['agents_suspended', 'agent'],
  ['credentials_suspended', 'credential'],
  ['api_keys_suspended', 'API key'],
  ['issuers_suspended', 'trusted issuer'],
] as const

const list = new Intl.ListFormat('en')

/** Such as `2 agents and 1 API key`; empty where nothing is suspended. */
export const nameSuspended = (status: Pick<ShowStatusAnswer, (typeof KINDS)[number][0]>): string =>
  list.format(
    KINDS.flatMap(([name, kind]) =>
      status[name] === 0 ? [] : [`${status[name]} ${kind}${status[name] === 1 ? '' : 's'}`],
    ),
  )

export const Suspended = () => {
  const { data } = useStatus(REFRESH_MS)
  const what = data === undefined ? '' : nameSuspended(data)
  if (what === '') return null
  return (
    <section className="suspended" role="status" aria-label="Suspended by a restore">
      <p>
        <b>A restore suspended {what}.</b> Their requests are refused until you accept them.
      </p>
      <Command words={['mintmark', 'restore', 'accept']} />
    </section>
  )
}
