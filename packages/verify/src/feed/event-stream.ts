// Reads server-sent events from the text of a body ("Interpreting an event stream" in the HTML standard), up to a size each.

export type ServerEvent = { readonly event: string; readonly data: string }

/** Calls `receive` with each event of the lines that it is given. Throws where an event is larger than it may be. */
const makeLineReader = (charactersMax: number, receive: (event: ServerEvent) => void): ((line: string) => void) => {
  let event = ''
  let data: string[] = []
  let size = 0
  return line => {
    if (line === '') {
      if (data.length > 0) receive({ event: event === '' ? 'message' : event, data: data.join('\n') })
      event = ''
      data = []
      size = 0
      return
    }
    size += line.length
    if (size > charactersMax) throw new Error(`An event has more than ${charactersMax} characters.`)
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'event') event = value
    if (name === 'data') data.push(value)
  }
}

/** A reader of the text of a stream in pieces, however they are cut. */
export const makeEventReader = (
  charactersMax: number,
  receive: (event: ServerEvent) => void,
): ((text: string) => void) => {
  const takeLine = makeLineReader(charactersMax, receive)
  let rest = ''
  // The line feed that belongs to it may come with the next piece.
  let carriageReturn = ''
  return piece => {
    const text = carriageReturn + piece
    carriageReturn = text.endsWith('\r') ? '\r' : ''
    // Only the new piece is searched: a long line may come in thousands of them.
    const lines = text.slice(0, text.length - carriageReturn.length).split(/\r\n|\n|\r/)
    lines[0] = rest + (lines[0] ?? '')
    rest = lines.pop() ?? ''
    for (const line of lines) takeLine(line)
    if (rest.length > charactersMax) throw new Error(`An event has more than ${charactersMax} characters.`)
  }
}
