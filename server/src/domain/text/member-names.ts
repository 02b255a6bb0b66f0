// Checks the names of members in a JSON text. Of two members with one name JSON.parse keeps the last and other parsers keep the
// first (RFC 8259 §4), so such a text means different things to different parsers.

/** `names` is undefined before the second member: the many objects with one member need no set. */
type OpenObject = { readonly kind: 'object'; names: Set<string> | undefined; name: string | undefined }
type OpenArray = { readonly kind: 'array'; index: number }
type Place = readonly (OpenObject | OpenArray)[]

/** A bad member: the second with its name, or one that would set a prototype in a careless parser. */
export type MemberFault = { readonly kind: 'repeated' | 'prototype'; readonly path: readonly string[] }

const BACKSLASH = 0x5c
const QUOTE = 0x22

/** The position of the closing quote of the string that starts at `open`. */
const endOfString = (json: string, open: number): number => {
  let at = open + 1
  for (let code = json.charCodeAt(at); code !== QUOTE && at < json.length; code = json.charCodeAt(at)) {
    at += code === BACKSLASH ? 2 : 1
  }
  return at
}

/** The value of a string; most have no escape. */
const readString = (quoted: string): string =>
  quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1)

const pathOf = (place: Place): readonly string[] =>
  place.map(step => String(step.kind === 'object' ? step.name : step.index))

/** Records the name, and returns what is wrong with it. */
const faultOf = (step: OpenObject, name: string): MemberFault['kind'] | undefined => {
  const before = step.name
  step.name = name
  if (name === '__proto__') return 'prototype'
  if (before === undefined) return undefined
  step.names ??= new Set([before])
  if (step.names.has(name)) return 'repeated'
  step.names.add(name)
  return undefined
}

/** The first bad member of a text that JSON.parse accepts; meaningless for any other text. Linear in its length. */
export const findMemberFault = (json: string): MemberFault | undefined => {
  const place: (OpenObject | OpenArray)[] = []
  let [stringFrom, stringTo] = [0, 0]
  for (let at = 0; at < json.length; at += 1) {
    const last = place.at(-1)
    switch (json.charAt(at)) {
      case '"':
        stringFrom = at
        at = endOfString(json, at)
        stringTo = at + 1
        break
      case '{':
        place.push({ kind: 'object', names: undefined, name: undefined })
        break
      case '[':
        place.push({ kind: 'array', index: 0 })
        break
      case '}':
      case ']':
        place.pop()
        break
      case ',':
        if (last?.kind === 'array') last.index += 1
        break
      case ':': {
        // Outside strings a colon follows only the name of a member.
        const kind = last?.kind === 'object' ? faultOf(last, readString(json.slice(stringFrom, stringTo))) : undefined
        if (kind !== undefined) return { kind, path: pathOf(place) }
      }
    }
  }
  return undefined
}

const PLAIN = /^[\w./:-]{1,256}$/

const WRONG: Readonly<Record<MemberFault['kind'], string>> = {
  repeated: 'is given twice: give each member once',
  prototype: 'is the name of no member: leave it out',
}

/** Describes the fault in words. Quotes only plain names, because any other text may be anything. */
export const formatMemberFault = ({ kind, path }: MemberFault): string => {
  const name = path.join('.')
  return `${PLAIN.test(name) ? name : 'A member'} ${WRONG[kind]}`
}
