// What stands in the place of what is read: shapes at first, what is wrong and a way to try again as soon as it is known.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Fault } from './fault.tsx'

const SLOW_MS = 5_000

export const Reading = ({ onAgain }: { readonly onAgain?: () => void }) => {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="reading">
      <span className="unseen">Reading…</span>
      <span className="shape" aria-hidden="true" />
      <span className="shape" aria-hidden="true" />
      <span className="shape" aria-hidden="true" />
      {isSlow && (
        <p role="status">
          The service has not answered for {SLOW_MS / 1_000} s.{' '}
          {onAgain !== undefined && (
            <button type="button" onClick={onAgain}>
              Try again
            </button>
          )}
        </p>
      )}
    </div>
  )
}

type Asked = {
  readonly data: unknown
  readonly error: Error | null
  /** Why the last try failed, while further tries follow. */
  readonly failureReason: Error | null
  readonly refetch: () => unknown
}

/** Nothing where everything is there. */
export const Waiting = ({ query: { data, error, failureReason, refetch } }: { readonly query: Asked }) => {
  const queryClient = useQueryClient()
  const again = async (): Promise<void> => {
    // A query that hangs is not repeated unless it is canceled first.
    await queryClient.cancelQueries({ predicate: each => each.state.data === undefined }, { silent: true })
    void refetch()
  }
  const fault = error ?? (data === undefined ? failureReason : null)
  if (fault !== null) return <Fault fault={fault} onAgain={() => void again()} />
  return data === undefined ? <Reading onAgain={() => void again()} /> : null
}
