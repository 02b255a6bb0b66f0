// What a person means by a name, an id or the beginning of one, wherever a command takes an id. A whole id
// means itself where there is such a thing; a name hides no id.
import { printable, printableLines } from '../../domain/text/text.ts'
import {
  fail,
  type Kind,
  type KindName,
  kindOf,
  type Life,
  type Named,
  opensId,
  type Typed,
  wholeUuid,
} from './named-kinds.ts'
import { type Api, ApiRefusal } from '../remote/api.ts'
import { CommandFailed } from '../terminal/exit.ts'

const CANDIDATES_MAX = 10

// A name is one line, whatever it holds.
const describe = ({ id, names: [name], remark }: Named): string =>
  [
    printable(id),
    ...(name === undefined ? [] : [printable(name)]),
    ...(remark === null ? [] : [`(${printable(remark)})`]),
  ].join('  ')

const listed = (some: readonly Named[]): string =>
  some
    .slice(0, CANDIDATES_MAX)
    .map(one => `\n  ${describe(one)}`)
    .join('')

// A rotation gives the new secret or key the name of the old one.
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
 * The live ones, where there are any; for a rotation the newest of them, because the others were replaced before. The clock of the
 * store may be ahead of this machine's, so the time is at least that at which the newest was made: what ended then is over.
 */
const preferLive = (some: readonly Named[], isRotated = false, wall = Date.now()): readonly Named[] => {
  const live = some.filter(isLiveAt(Math.max(wall, ...some.map(({ life }) => life?.madeAt ?? 0))))
  if (live.length === 0) return some
  const successor = isRotated ? successorOf(live) : undefined
  return successor === undefined ? live : [successor]
}

type Wanted = Typed & {
  /** Whether it is replaced: then what was replaced before, and has its grace, is not meant. */
  readonly isRotated?: boolean
}

type Meant = { readonly some: readonly Named[]; readonly isWhole: boolean }

/** The whole id wins over whole names, and those over the beginnings of others. */
const meantBy = ({ isWholeOnly }: Kind, candidates: readonly Named[], { text, isRotated }: Wanted): Meant => {
  const each = [...new Map(candidates.map(one => [one.id, one])).values()]
  const whole = each.filter(({ id }) => id === text)
  if (whole.length > 0) return { some: whole, isWhole: true }
  const called = preferLive(
    each.filter(({ names }) => names.includes(text)),
    isRotated,
  )
  if (called.length > 0) return { some: called, isWhole: true }
  const byId = each.filter(({ id }) => opensId(text, id))
  const named = each.filter(({ names }) => isWholeOnly !== true && names.some(name => name.startsWith(text)))
  return { some: [...new Set([...byId, ...preferLive(named, isRotated)])], isWhole: false }
}

/** Reports what a text is taken for, if it is not the id itself: the reader of an empty list must know whose list it is. */
const report = (line: string): void => void process.stderr.write(`${printableLines(line)}\n`)

/** What was typed is not repeated where nothing is found: it may be a secret in the wrong place. */
const choose = (kind: Kind, { some, isWhole }: Meant, text: string, ends: boolean): string => {
  const { what, list, otherwise, orElse } = kind
  const more = orElse === undefined ? [] : [orElse]
  const [only] = some
  if (only === undefined && otherwise !== undefined) {
    report(`No ${what} that is listed has this id or name: it is taken for ${otherwise}.`)
    return text
  }
  if (only === undefined) {
    const none = `No ${what} has this id or name, or one that opens so: \`mintmark ${list}\` shows them.`
    throw fail([none, ...more].join(' '))
  }
  if (some.length > 1) throw fail(`Several are meant; name one ${what} by its id:${listed(some)}`)
  if (ends && !isWhole)
    throw fail(`What ends something takes the whole id or the whole name. Is it this ${what}?${listed(some)}`)
  if (otherwise !== undefined) report([`By this name: ${describe(only)}`, ...more].join('\n'))
  return only.id
}

/** Records that have a whole id as their name; none where a record has it as its id, or where the caller may not list. */
const findNamesakes = async (
  api: Api,
  { gather, hasNames }: Kind,
  typed: Typed,
  id: string,
): Promise<readonly Named[]> => {
  if (hasNames !== true) return []
  try {
    const found = await gather(api, typed)
    return found.some(one => one.id === id) ? [] : found.filter(({ names }) => names.includes(typed.text))
  } catch (error) {
    // Nothing was wrong with the id: the service says so where it is.
    if (error instanceof CommandFailed) return []
    throw error
  }
}

/** `ends`: whether the command may end something: then the beginning of an id or a name is not enough. */
export const findNamed = async (
  api: Api,
  name: KindName,
  { ends, ...typed }: Wanted & { readonly ends: boolean },
): Promise<string> => {
  const kind = kindOf(name, typed)
  const { what, whole = wholeUuid, gather, otherwise, isFree } = kind
  const { text } = typed
  const id = whole(typed)
  if (id !== undefined) {
    const some = await findNamesakes(api, kind, typed, id)
    return some.length === 0 ? id : choose(kind, { some: preferLive(some, typed.isRotated), isWhole: true }, text, ends)
  }
  try {
    return choose(kind, meantBy(kind, await gather(api, typed), typed), text, ends)
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status !== 403) throw error
    if (isFree !== true && otherwise === undefined)
      throw fail(`To find the ${what} by anything but its whole id the caller must be allowed to list them.`)
    report('The caller may not list what this may be the name of: it is taken for the whole id.')
    return text
  }
}
