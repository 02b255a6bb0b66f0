// What went wrong, with the id of the request and what to do.
import { ApiRefused, ApiUnavailable } from '../../../packages/client/src/administration/api-errors.ts'

type Explanation = { readonly what: string; readonly next: string; readonly requestId: string | undefined }

const describe = (fault: unknown): Explanation => {
  if (fault instanceof ApiRefused) {
    const next = fault.status === 403 ? 'Ask an administrator for the role.' : 'Change what you asked for.'
    return { what: fault.message, next, requestId: fault.requestId }
  }
  if (fault instanceof ApiUnavailable) {
    return { what: fault.message, next: 'The console tries again by itself.', requestId: undefined }
  }
  return { what: String(fault), next: 'Load the page again.', requestId: undefined }
}

export const Fault = ({ fault, onAgain }: { readonly fault: unknown; readonly onAgain?: () => void }) => {
  const { what, next, requestId } = describe(fault)
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
