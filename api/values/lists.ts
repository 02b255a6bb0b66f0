// Bounds of lists and counts.

export const PAGE_RECORDS_DEFAULT = 100
export const PAGE_RECORDS_MAX = 1000

/** A count up to this is exact, where what must be looked at for it is within its own bound. */
export const COUNT_EXACT_MAX = 10_000

/** Agents that a dry run names, of those whose tokens would end with others. */
export const DESCENDANT_AGENTS_MAX = 20

export const SAMPLE_RECORDS_MAX = 10

/** Ids or names of clients that one request of a list asks for. */
export const LISTED_IDS_MAX = 100

/** What is found by the beginning of its id, before what is found by that of its name. */
export const IDS_OPENED_MAX = 10

/** Agents that one revocation selects by owner and labels. */
export const AGENTS_SELECTED_MAX = 1000
