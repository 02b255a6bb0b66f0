// Reads JSON that somebody else wrote, for a command that has words of its own for what is none.
import { findMemberFault, formatMemberFault } from '../../domain/text/member-names.ts'
import { CommandFailed } from './exit.ts'

/** Undefined where the text is no JSON, which no JSON stands for. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The same for a document that a user hands over. Repeated members are refused: parsers differ in which of them they keep. */
export const parseDocument = (text: string): unknown => {
  const value = parseJson(text)
  const fault = value === undefined ? undefined : findMemberFault(text)
  if (fault !== undefined) throw new CommandFailed(`${formatMemberFault(fault)}.`)
  return value
}
