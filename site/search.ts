// How the search of the site asks its index, in the browser and in check.ts alike. VitePress would write functions of its configuration
// into each page as text to be evaluated, which a strict policy refuses, so the theme sets these when it starts.
import { DOORS } from './contents.ts'

/** Words of a question that say nothing about its subject. */
const SILENT = new Set(
  'a an and are at be by can did do does for from has have how i if in is it me mean my now of on or our the this to use we what when where which who why with you your'.split(
    ' ',
  ),
)

const FUZZY_FROM_CHARACTERS = 6
/** For the pages with which a reader of some role begins. */
const START_BOOST = 1.5
/** What a list of threats or limits names is explained on a page of its own. */
const LIST_BOOST = 0.5
const LISTS = ['apis/libraries', 'security/divergences', 'security/threat-model', 'start/changes']

const STARTS = DOORS.flatMap(({ sections }) => sections.slice(0, 1).flatMap(({ pages }) => pages))

const pageOf = (id: string): string => id.replace(/^.*\/guide\//, '').replace(/\.html.*$/, '')

const boostOf = (page: string): number => {
  if (
    /^(?:decisions|development)\/|^reference\/(?!operations|errors|alerts|termination)/.test(page) ||
    LISTS.includes(page)
  )
    return LIST_BOOST
  return STARTS.includes(page) ? START_BOOST : 1
}

/** Options of MiniSearch. */
export const SEARCH_OPTIONS = {
  boost: { title: 6, titles: 2, text: 1 },
  combineWith: 'AND',
  prefix: true,
  fuzzy: (term: string): number | false => (term.length < FUZZY_FROM_CHARACTERS ? false : 0.2),
  processTerm: (term: string): string | null => {
    const word = term.toLowerCase()
    return SILENT.has(word) ? null : word
  },
  boostDocument: (id: string): number => boostOf(pageOf(id)),
}
