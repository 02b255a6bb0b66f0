// The members of a record, name by name.
import type { ReactNode } from 'react'

export type Member = readonly [name: string, value: ReactNode]

/** Shows members, without those that have no value. */
export const Members = ({ of }: { readonly of: readonly Member[] }) => (
  <dl className="members">
    {of
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)
