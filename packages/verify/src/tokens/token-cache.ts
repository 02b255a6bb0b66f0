// The cache of verified tokens, by their exact text, so that only what may have changed is checked again.

export const CACHED_TOKENS_MAX = 20_000
/** The bytes of all texts together, with what is stored beside each. */
export const CACHED_BYTES_MAX = 33_554_432
/** Claims as objects and the entry itself, about, beside twice the characters. */
const BYTES_BESIDE = 1024
/** Tokens are distinguished by the end of their signature: to hash a whole text takes as long as to parse it. */
const NAME_CHARACTERS = 43

export type Bounds = { readonly tokensMax: number; readonly bytesMax: number }

const sizeOf = (token: string): number => token.length * 2 + BYTES_BESIDE

const nameOf = (token: string): string => token.slice(-NAME_CHARACTERS)

type Named<Entry> = { readonly token: string; readonly entry: Entry }

const makeHalf = <Entry>() => ({ entries: new Map<string, Named<Entry>>(), bytes: 0 })

type Half<Entry> = ReturnType<typeof makeHalf<Entry>>

const drop = (half: Half<unknown>, name: string): void => {
  const found = half.entries.get(name)
  if (found === undefined) return
  half.entries.delete(name)
  half.bytes -= sizeOf(found.token)
}

/**
 * Makes a cache of two halves. When the younger one is full, the older one is dropped as a whole: with it what was not used since
 * the younger one was begun. To look for the single oldest one in a Map takes a time that grows with how many were removed before.
 * Of two texts that end alike the last one stays.
 */
export const makeTokenCache = <Entry>({ tokensMax, bytesMax }: Bounds) => {
  let young = makeHalf<Entry>()
  let old = makeHalf<Entry>()

  const isFull = (bytes: number): boolean =>
    young.entries.size + 1 > tokensMax / 2 || young.bytes + bytes > bytesMax / 2

  const put = (name: string, named: Named<Entry>): void => {
    const bytes = sizeOf(named.token)
    if (isFull(bytes)) {
      old = young
      young = makeHalf()
    }
    // One that takes more than half of the room.
    if (isFull(bytes)) return
    young.entries.set(name, named)
    young.bytes += bytes
  }

  const remove = (name: string): void => {
    drop(young, name)
    drop(old, name)
  }

  const get = (token: string): Entry | undefined => {
    const name = nameOf(token)
    const recent = young.entries.get(name)
    const found = recent ?? old.entries.get(name)
    if (found?.token !== token) return undefined
    if (recent === undefined) {
      drop(old, name)
      put(name, found)
    }
    return found.entry
  }

  return {
    get,
    add: (token: string, entry: Entry): void => {
      const name = nameOf(token)
      remove(name)
      put(name, { token, entry })
    },
    forget: (token: string): void => {
      if (get(token) !== undefined) remove(nameOf(token))
    },
    size: (): number => young.entries.size + old.entries.size,
    bytes: (): number => young.bytes + old.bytes,
  }
}
