// Texts that chance makes, such as signatures by ES256: what was written before stays where nothing else changes.

/** The parts of a JWS, and what stands between them. */
const partsOf = (text: string): readonly string[] => text.split(/([.\s,])/)

/** Whether all is as before, but for the parts of texts in which two makings differ. */
const isAsBefore = (before: unknown, one: unknown, another: unknown): boolean => {
  if (typeof one === 'string' && one !== another) {
    if (typeof before !== 'string' || typeof another !== 'string') return false
    const [olds, ones, others] = [partsOf(before), partsOf(one), partsOf(another)]
    return olds.length === ones.length && ones.every((part, n) => part !== others[n] || part === olds[n])
  }
  if (typeof one !== 'object' || one === null) return before === one
  if (typeof before !== 'object' || before === null) return false
  const [olds, others] = [before, another] as readonly Readonly<Record<string, unknown>>[]
  const members = Object.entries(one)
  return (
    members.length === Object.keys(before).length &&
    members.every(([name, value]) => isAsBefore(olds?.[name], value, others?.[name]))
  )
}

/**
 * What was before, where only chance distinguishes it from `one`; else `one`. `another` is made as `one` is. Of a row that was before
 * only the members that `one` has are compared, and stay.
 */
export const keepChance = <Value>(before: Value | null | undefined, one: Value, another: Value): Value => {
  if (typeof one !== 'object' || one === null) return isAsBefore(before, one, another) ? (before as Value) : one
  const members = Object.entries(before ?? {}).filter(([name]) => Object.hasOwn(one, name))
  const kept = Object.fromEntries(members) as Value
  return isAsBefore(kept, one, another) ? kept : one
}
