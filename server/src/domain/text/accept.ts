// In this folder: pure functions on untrusted texts: JSON, Accept headers, request targets, characters that a terminal obeys.
// Which of the forms that there are a caller would rather have, by its Accept headers (RFC 9110 §12.5).

/** A longer header is ignored: no known client needs one. */
export const ACCEPT_CHARACTERS_MAX = 1024

/** An unclosed one goes on to the end: the search never starts again inside of it. */
const QUOTED = /"(?:[^"\\]|\\[^])*(?:"|\\?$)/g
// Also `.2`, which Java sends.
const WEIGHT = /^(?:[01]|[01]?\.\d{1,3}|[01]\.)$/

type Range = { readonly name: string; readonly weight: number }

const weightOf = (parameters: readonly string[]): number => {
  const quality = parameters.find(parameter => parameter.startsWith('q='))?.slice(2) ?? '1'
  return WEIGHT.test(quality) && Number(quality) <= 1 ? Number(quality) : Number.NaN
}

/** The ranges of a header; one whose weight is none is passed over. Parameters but the weight make no difference. */
const parseRanges = (header: string): readonly Range[] =>
  header
    .replace(QUOTED, '')
    .toLowerCase()
    .split(',')
    .map(text => {
      const [name = '', ...parameters] = text.split(';').map(part => part.replace(/\s+/g, ''))
      return { name, weight: weightOf(parameters) }
    })
    .filter(({ weight }) => !Number.isNaN(weight))

/** How exactly a range names a media type; -1 where it does not. */
const exactness = (name: string, mediaType: string): number =>
  [mediaType, `${mediaType.slice(0, mediaType.indexOf('/'))}/*`, '*/*'].toReversed().indexOf(name)

/** Returns the most exact of the ranges that match the media type. */
const wishFor = (ranges: readonly Range[], mediaType: string): { exact: number; weight: number } =>
  ranges
    .map(({ name, weight }) => ({ exact: exactness(name, mediaType), weight }))
    .filter(({ exact }) => exact >= 0)
    .reduce((best, one) => (one.exact > best.exact ? one : best), { exact: -1, weight: 0 })

/**
 * Returns a function from an Accept header to one of the media types: the one of the greatest weight; of equal ones that
 * which is named more exactly; else the first, also where none is acceptable (never 406).
 */
export const makeNegotiator = <MediaType extends string>(
  first: MediaType,
  ...others: readonly MediaType[]
): ((accept: string | undefined) => MediaType) => {
  const choose = (accept: string): MediaType => {
    const ranges = parseRanges(accept)
    return others.reduce((chosen, other) => {
      const [before, now] = [wishFor(ranges, chosen), wishFor(ranges, other)]
      const isWanted = now.weight > before.weight || (now.weight === before.weight && now.exact > before.exact)
      return now.weight > 0 && isWanted ? other : chosen
    }, first)
  }
  // A resource server sends one header again and again.
  let last: { readonly accept: string; readonly chosen: MediaType } = { accept: '', chosen: first }
  return (accept = '') => {
    if (accept === last.accept) return last.chosen
    if (accept.length > ACCEPT_CHARACTERS_MAX) return first
    last = { accept, chosen: choose(accept) }
    return last.chosen
  }
}

/** Whether an Accept-Encoding header permits gzip. A header that does not name gzip gets the plain body. */
export const takesGzip = (acceptEncoding = ''): boolean =>
  acceptEncoding.length <= ACCEPT_CHARACTERS_MAX &&
  parseRanges(acceptEncoding).some(({ name, weight }) => name === 'gzip' && weight > 0)
