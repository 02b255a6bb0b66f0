// Responses that report their own end. Node reports it by events, and a listener that is added to each response costs more
// than all that is noted of its request.
import { type IncomingMessage, ServerResponse } from 'node:http'

type Ends = {
  /** All of the response was handed to the system. */
  readonly onFinish: (response: ServerResponse) => void
  /** It is finished, or its connection has ended before it was. Always the last, and once. */
  readonly onClose: (response: ServerResponse) => void
}

/** For the option `ServerResponse` of a server of Node. */
export const makeNotedResponse = ({ onFinish, onClose }: Ends): typeof ServerResponse =>
  class<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    override emit(event: string | symbol, ...rest: unknown[]): boolean {
      if (event === 'finish') onFinish(this)
      else if (event === 'close') onClose(this)
      // No event of a response that comes with every request has an argument.
      return rest.length === 0 ? super.emit(event) : super.emit(event, ...rest)
    }
  }
