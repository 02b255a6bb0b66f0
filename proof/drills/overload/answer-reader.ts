// Counts the answers in the bytes of one connection, at the least cost: the status and the length are read, nothing else.

export type AnswerReader = (chunk: Buffer) => void

const HEAD_END = Buffer.from('\r\n\r\n')
const LENGTHS = [Buffer.from('content-length: '), Buffer.from('Content-Length: ')]
const STATUS_AT = 'HTTP/1.1 '.length
const ZERO = 48
const NOTHING = Buffer.alloc(0)

const digitsAt = (bytes: Buffer, from: number): number => {
  let value = 0
  for (let at = from; at < bytes.length; at += 1) {
    const digit = (bytes[at] ?? 0) - ZERO
    if (digit < 0 || digit > 9) break
    value = 10 * value + digit
  }
  return value
}

const lengthIn = (head: Buffer): number => {
  for (const name of LENGTHS) {
    const at = head.indexOf(name)
    if (at >= 0) return digitsAt(head, at + name.length)
  }
  return 0
}

/** Calls `onAnswer` with the status of each answer once its last byte has come. A chunk is not kept after the call. */
export const makeAnswerReader = (onAnswer: (status: number) => void): AnswerReader => {
  let head = NOTHING
  let status = 0
  let left = -1
  return chunk => {
    let rest = chunk
    while (rest.length > 0) {
      if (left < 0) {
        const all = head.length === 0 ? rest : Buffer.concat([head, rest])
        const end = all.indexOf(HEAD_END)
        if (end < 0) {
          head = Buffer.from(all)
          return
        }
        status = digitsAt(all, STATUS_AT)
        left = lengthIn(all.subarray(0, end))
        rest = all.subarray(end + HEAD_END.length)
        head = NOTHING
      }
      const taken = Math.min(left, rest.length)
      left -= taken
      rest = rest.subarray(taken)
      if (left === 0) {
        left = -1
        onAnswer(status)
      }
    }
  }
}
