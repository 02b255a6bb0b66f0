// What a name of secrets or keys means: a rotation gives the new one the name of the old one.
import type { Life, Named } from './named-kinds.ts'

const isLiveAt =
  (now: number) =>
  ({ life }: Named): boolean =>
    life === undefined || life.endsAt === null || life.endsAt > now

const endOf = ({ endsAt }: Life): number => endsAt ?? Number.POSITIVE_INFINITY

/** The one that was made last, where each other ends before it, as in the grace of a rotation. */
const successorOf = (some: readonly Named[]): Named | undefined =>
  some.find(({ id, life }) =>
    some.every(
      other =>
        other.id === id ||
        (life !== undefined &&
          other.life !== undefined &&
          other.life.madeAt <= life.madeAt &&
          endOf(other.life) < endOf(life)),
    ),
  )

/**
 * The live ones, where there are any. What is rotated is the last of those, for the others were replaced before. The clock of the store
 * may be ahead of this one: what ended when its successor was made is over.
 */
export const preferLive = (some: readonly Named[], isRotated = false, wall = Date.now()): readonly Named[] => {
  const live = some.filter(isLiveAt(Math.max(wall, ...some.map(({ life }) => life?.madeAt ?? 0))))
  if (live.length === 0) return some
  const successor = isRotated ? successorOf(live) : undefined
  return successor === undefined ? live : [successor]
}
