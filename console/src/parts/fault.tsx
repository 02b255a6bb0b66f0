// What went wrong, with the id of the request and what to do.
import { ApiRefused, ApiUnavailable } from '../../../packages/client/src/administration/api-errors.ts'

type Explanation = { readonly what: string; readonly next: string; readonly requestId: string | undefined }

const AFTER_ACT = 'It may be done all the same: look whether it is, before you try again.'

const describe = (fault: unknown, isOfAct: boolean): Explanation => {
  if (fault instanceof ApiRefused) {
    const next = fault.status === 403 ? 'Ask an administrator for the role.' : 'Change what you asked for.'
    return { what: fault.message, next, requestId: fault.requestId }
  }
  if (fault instanceof ApiUnavailable) {
    const next = isOfAct ? AFTER_ACT : 'The console tries again by itself.'
    return { what: fault.message, next, requestId: undefined }
  }
  return { what: String(fault), next: 'Load the page again.', requestId: undefined }
}

type FaultProps = {
  readonly fault: unknown
  /** Something was to be changed: without an answer nobody knows whether it was. */
  readonly isOfAct?: boolean
  readonly onAgain?: () => void
}

export const Fault = ({ fault, isOfAct = false, onAgain }: FaultProps) => {
  const { what, next, requestId } = describe(fault, isOfAct)
  return (
    <div role="alert" className="fault">
      <p>{what}</p>
      <p className="quiet">
        {next}
        {requestId !== undefined && (
          <>
            {' '}
            Request <code>{requestId}</code>.
          </>
        )}
      </p>
      {onAgain !== undefined && (
        <button type="button" onClick={onAgain}>
          Try again
        </button>
      )}
    </div>
  )
}
