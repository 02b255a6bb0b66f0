// An instant in a panel, where there is room: how long ago or how soon, and exactly, in the reader's language and zone.
import { formatExact, Time } from './time.tsx'

/** `at` in ISO 8601, as the API writes it. UTC stands where {@link Time} is pointed at. */
export const Instant = ({ at }: { readonly at: string }) => (
  <>
    <Time at={at} /> <span className="quiet">{formatExact(at)}</span>
  </>
)
