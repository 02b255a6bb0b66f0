// Responses that report their own end. Node reports it by an event, and a listener that is added to each response costs more
// than all that is noted of its request.
import { type IncomingMessage, ServerResponse } from 'node:http'

/**
 * For the option `ServerResponse` of a server of Node. `onEnd` is called once for each response, last: it is finished, or its connection has
 * ended before it was. Of the two, `writableFinished` says which.
 */
export const makeNotedResponse = (onEnd: (response: ServerResponse) => void): typeof ServerResponse =>
  class<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    override emit(event: string | symbol, ...rest: unknown[]): boolean {
      if (event === 'close') onEnd(this)
      // No event of a response that comes with every request has an argument.
      return rest.length === 0 ? super.emit(event) : super.emit(event, ...rest)
    }
  }
