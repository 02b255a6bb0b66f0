// Reads queries in PromQL far enough to know which metrics, labels and values of labels they name.

type Matcher = { readonly label: string; readonly values: readonly string[] }

export type MetricQuery = {
  readonly metrics: readonly { readonly name: string; readonly matchers: readonly Matcher[] }[]
  /** The labels of `by`, `without`, `on` and `ignoring`. */
  readonly grouped: readonly string[]
}

const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g
const SELECTOR = /(?<![\w$])([a-zA-Z_]\w*)\s*(?:\{([^}]*)\}|(\(?))/g
const MATCHER = /(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g
const WORDS = ['and', 'bool', 'offset', 'or', 'unless']

const readMatchers = (text: string): readonly Matcher[] =>
  [...text.matchAll(MATCHER)].map(([, label = '', operator = '', value = '']) => ({
    label,
    values: operator.endsWith('~') ? value.split('|') : [value],
  }))

export const readQuery = (query: string): MetricQuery => {
  const grouped = [...query.matchAll(GROUPING)].flatMap(([, labels = '']) =>
    labels
      .split(',')
      .map(label => label.trim())
      .filter(label => label !== ''),
  )
  const metrics = [...query.replaceAll(GROUPING, ' ').matchAll(SELECTOR)]
    // What is followed by a bracket is a function.
    .filter(([, name = '', , bracket]) => bracket !== '(' && !WORDS.includes(name))
    .map(([, name = '', matchers = '']) => ({ name, matchers: readMatchers(matchers) }))
  return { metrics, grouped }
}

/** The metrics that there are: the labels of each, with all values, or null where any text is one. */
export type KnownMetrics = ReadonlyMap<string, Readonly<Record<string, readonly string[] | null>>>

/** What Prometheus adds to every series, where it discovers pods also their namespace. */
const OF_EACH = { instance: null, job: null, namespace: null }

// A variable of a dashboard, or nothing at all.
const isOpen = (value: string): boolean => value.startsWith('$') || value === '' || value === '.*'

/** What the query names that does not exist, in words; a query without a metric is wrong too. */
export const findUnknown = (query: string, known: KnownMetrics): readonly string[] => {
  const { metrics, grouped } = readQuery(query)
  const labels = metrics.map(({ name }) => ({ ...OF_EACH, ...known.get(name) }))
  const wrong = metrics.flatMap(({ name, matchers }, n) => {
    if (!known.has(name)) return [`${name} is no metric`]
    return matchers.flatMap(({ label, values }) => {
      const all: readonly string[] | null | undefined = (labels[n] as Record<string, readonly string[] | null>)[label]
      if (all === undefined) return [`${name} has no label ${label}`]
      return values
        .filter(value => all !== null && !isOpen(value) && !all.includes(value))
        .map(value => `${label} of ${name} is never ${value}`)
    })
  })
  const strange = grouped
    .filter(label => !labels.some(one => label in one))
    .map(label => `no metric has the label ${label}`)
  return [...(metrics.length === 0 ? ['no metric is named'] : []), ...wrong, ...strange]
}
