// What is typed into a field that takes several: words, or lines of `key=value`.

export const wordsOf = (text: string): readonly string[] => text.split(/\s+/).filter(word => word !== '')

/** One `key=value` a line: a value may hold spaces. Without an equals sign the line is a key whose value is empty. */
export const pairsOf = (text: string): readonly (readonly [key: string, value: string])[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .map(line => {
      const equals = line.indexOf('=')
      return equals === -1 ? [line, ''] : [line.slice(0, equals), line.slice(equals + 1)]
    })
