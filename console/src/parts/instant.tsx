// An instant in a panel, where there is room: how long ago or how soon, and exactly, in the reader's zone.
import { Time } from './time.tsx'

const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })

/** `at` in ISO 8601, as the API writes it. UTC stands where {@link Time} is pointed at. */
export const Instant = ({ at }: { readonly at: string }) => (
  <>
    <Time at={at} /> <span className="quiet">{exact.format(Date.parse(at))}</span>
  </>
)
