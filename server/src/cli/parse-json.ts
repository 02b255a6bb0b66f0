// Reads JSON that somebody else wrote, for a command that has words of its own for what is none.

/** Undefined where the text is no JSON, which no JSON stands for. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
