// Answers that must be the same, byte for byte, but for what differs in every answer.

const CHANGING = /^(?:date|x-request-id):.*\r\n/gim

/** An answer without the headers that change with each. */
export const normalize = (answer: string): string => {
  const headEnd = answer.indexOf('\r\n\r\n') + 2
  return answer.slice(0, headEnd).replaceAll(CHANGING, '') + answer.slice(headEnd)
}

const SHOWN = 300

const show = (text: string): string => JSON.stringify(text.slice(0, SHOWN))

const missingFrom = (set: ReadonlySet<string>, texts: ReadonlySet<string>): readonly string[] =>
  [...texts].filter(text => !set.has(text))

/** How the answers of two classes differ; null where each answer of one was an answer of the other. */
export const differenceOf = (first: ReadonlySet<string>, second: ReadonlySet<string>): string | null => {
  const onlyFirst = missingFrom(second, first)
  const onlySecond = missingFrom(first, second)
  if (onlyFirst.length === 0 && onlySecond.length === 0) return null
  const [one = ''] = onlyFirst
  const [other = ''] = onlySecond
  return `only one has ${show(one)}, only the other ${show(other)}`
}
