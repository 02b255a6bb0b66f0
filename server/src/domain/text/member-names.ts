// The names of members in a JSON text. JSON.parse keeps the last of two members of one name and other readers keep the first
// (RFC 8259 §4), so a text that has one twice means different things to different readers.

/** `names` is undefined before the second member: an object of one, of which a text may hold many, needs no set. */
type OpenObject = { readonly kind: 'object'; names: Set<string> | undefined; name: string | undefined }
type OpenArray = { readonly kind: 'array'; index: number }
type Place = readonly (OpenObject | OpenArray)[]

/** A member of one of two kinds: the second of its name, or one that would be a prototype in a careless reader. */
export type MemberFault = { readonly kind: 'repeated' | 'prototype'; readonly path: readonly string[] }

const BACKSLASH = 0x5c
const QUOTE = 0x22

/** The place of the quote that ends the string which opens at `open`. */
const endOfString = (json: string, open: number): number => {
  let at = open + 1
  for (let code = json.charCodeAt(at); code !== QUOTE && at < json.length; code = json.charCodeAt(at)) {
    at += code === BACKSLASH ? 2 : 1
  }
  return at
}

/** What a string says; most have no escape. */
const readString = (quoted: string): string =>
  quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1)

const pathOf = (place: Place): readonly string[] =>
  place.map(step => String(step.kind === 'object' ? step.name : step.index))

/** Takes the name in, and gives what is wrong with it. */
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

/** The first fault of a text that JSON.parse takes; of another text there may be any. Linear in its length. */
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
        // Outside strings a colon follows the name of a member, and nothing else.
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

/** In words. A text that is no plain name may be anything, and is not told back. */
export const formatMemberFault = ({ kind, path }: MemberFault): string => {
  const name = path.join('.')
  return `${PLAIN.test(name) ? name : 'A member'} ${WRONG[kind]}`
}
