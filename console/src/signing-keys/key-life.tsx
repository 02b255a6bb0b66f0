// The life of a signing key as a line of five moments: those that passed, and those that come.
import type { ReactNode } from 'react'
import type { ShowSigningKeyAnswer } from '../../../packages/client/src/index.ts'
import { formatExact, Time } from '../parts/time.tsx'
import { serviceNow } from '../reading/service-clock.ts'

type Moment = { readonly title: string; readonly at: string | null; readonly ahead: ReactNode }

const MS = 1_000

const inSeconds = (seconds: number): string => new Date(serviceNow() + seconds * MS).toISOString()

/** The service counts the time that it runs: where it stood still it is later. */
const Soonest = ({ seconds }: { readonly seconds: number | null }) =>
  seconds === null ? '—' : <Time at={inSeconds(seconds)} />

const lastTokenAt = ({ signs_until: until, kept_after_signing_seconds: kept }: ShowSigningKeyAnswer): string | null =>
  until === null ? null : new Date(Date.parse(until) + kept * MS).toISOString()

const isPast = (at: string | null): boolean => at !== null && Date.parse(at) <= serviceNow()

const day = (at: string): ReactNode => <time dateTime={at}>{formatExact(at)}</time>

/** The next rotation is that of the key that signs now, once the next one was published long enough. */
const rotation = (rotatesAt: string | null | undefined): ReactNode =>
  rotatesAt === null || rotatesAt === undefined ? 'the next rotation' : day(rotatesAt)

const signsFrom = (key: ShowSigningKeyAnswer, rotatesAt: string | null | undefined): ReactNode =>
  key.rotation_requested ? <Soonest seconds={key.ready_in_seconds} /> : rotation(rotatesAt)

const momentsOf = (key: ShowSigningKeyAnswer, rotatesAt: string | null | undefined): readonly Moment[] => {
  const isEnded = key.state === 'compromised'
  const last = isEnded ? key.gone_at : lastTokenAt(key)
  return [
    { title: 'Made', at: key.created_at, ahead: null },
    {
      title: 'Signs from',
      at: key.signs_from,
      ahead: key.state === 'next' ? signsFrom(key, rotatesAt) : 'never',
    },
    { title: 'Signs until', at: key.signs_until, ahead: key.state === 'current' ? rotation(rotatesAt) : '—' },
    { title: isEnded ? 'Its tokens ended' : 'Tokens expire by', at: last, ahead: '—' },
    { title: 'Out of the key set', at: key.gone_at, ahead: <Soonest seconds={key.leaves_in_seconds} /> },
  ]
}

type KeyLifeProps = {
  readonly signingKey: ShowSigningKeyAnswer
  /** When the key that signs now is followed; undefined: that key is not among those that were read. */
  readonly rotatesAt: string | null | undefined
}

export const KeyLife = ({ signingKey, rotatesAt }: KeyLifeProps) => (
  <ol className="life">
    {momentsOf(signingKey, rotatesAt).map(({ title, at, ahead }) => (
      <li key={title} className={isPast(at) ? 'past' : 'ahead'}>
        <span className="quiet">{title}</span>
        <span>{at === null ? ahead : <Time at={at} />}</span>
      </li>
    ))}
  </ol>
)
