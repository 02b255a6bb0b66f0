// Whether the service can serve: what is not as it should be, or that everything is.
import { useQuery } from '@tanstack/react-query'
import { Fault } from '../parts/fault.tsx'
import { type Component, type Health as Read, isFine, nameOf, readHealth } from '../reading/health.ts'
import { State } from './state.tsx'

/** The service writes to its store to answer. */
const REFRESH_MS = 15_000

const reasonOf = (component: Component): string => ('reason' in component ? (component.reason ?? '') : '')

const Checks = ({ isReady, components }: Read) => {
  const faults = components.filter(one => !isFine(one))
  return (
    <>
      <p>
        <span className={isReady ? 'state active' : 'state ended'}>{isReady ? 'ready' : 'not ready'}</span>{' '}
        {components.length - faults.length} of {components.length} checks are fine.
      </p>
      {faults.length > 0 && (
        <ul className="findings">
          {faults.map(one => (
            <li key={nameOf(one)}>
              <b>{nameOf(one)}</b> {one.status}
              <span className="quiet"> {reasonOf(one)}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

export const Health = () => {
  const { data, error, refetch } = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => readHealth(signal),
    refetchInterval: REFRESH_MS,
  })
  return (
    <section className="overview-part" aria-label="Health">
      <h2>Health</h2>
      {error !== null && <Fault fault={error} onAgain={() => void refetch()} />}
      {data !== undefined && <Checks {...data} />}
      <State />
    </section>
  )
}
