// How a plan is printed: a line for each record that changes, with what it ends.
import { formatAtLeast } from '../dry-run.ts'
import { formatCount, isRecord, type PrintedRecord } from '../terminal/print.ts'
import { printable } from '../../domain/text/text.ts'
import { isDifferent, isRefused, type Plan, type Planned } from './plan.ts'

const SIGNS: Readonly<Record<string, string>> = {
  create: '+',
  change: '~',
  replace: '~',
  adopt: '=',
  delete: '-',
}

const SHOWN_CHARACTERS = 200

/** What is null is a default. */
const withoutNulls = (_member: string, value: unknown): unknown => (value === null ? undefined : value)

const formatValue = (value: unknown): string => {
  const text = printable(typeof value === 'string' ? value : (JSON.stringify(value, withoutNulls) ?? 'none'))
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}

/** What stands at the beginning of the line. */
const NAMES = ['kind', 'name', 'alias']

const membersOf = ({ answer, record }: Planned): readonly string[] => {
  const before = isRecord(answer['before']) ? answer['before'] : {}
  const after = isRecord(answer['after']) ? answer['after'] : {}
  if (answer['action'] === 'delete') return []
  // Of what is new the file says more than its defaults do.
  if (answer['action'] === 'create') {
    return Object.entries(after)
      .filter(([member]) => !NAMES.includes(member) && Object.hasOwn(record, member))
      .map(([member, value]) => `${member}: ${formatValue(value)}`)
  }
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return members
    .filter(member => JSON.stringify(before[member]) !== JSON.stringify(after[member]))
    .map(member => `${member}: ${formatValue(before[member])} -> ${formatValue(after[member])}`)
}

const REMARKS: Readonly<Record<string, string>> = {
  disabled: 'disabled by hand: stays so',
  suspended: 'suspended since a restore: stays so',
  revoked: 'revoked by hand: not made again',
}

type Ended = { readonly tokens: number; readonly isExact: boolean; readonly reasons: readonly string[] }

/** With what was got for the tokens that end. */
const endsOf = ({ answer }: Planned): Ended => {
  const ends: PrintedRecord = isRecord(answer['ends']) ? answer['ends'] : {}
  const { tokens, descendants, exact, reasons } = ends
  return {
    tokens: Number(tokens ?? 0) + Number(descendants ?? 0),
    isExact: exact === true,
    reasons: Array.isArray(reasons) ? reasons.map(String) : [],
  }
}

const formatEnded = ({ tokens, isExact }: Omit<Ended, 'reasons'>): string =>
  `ends ${formatAtLeast(tokens, isExact)} live ${tokens === 1 ? 'token' : 'tokens'}`

const nameOf = ({ kind, name, answer }: Planned): string => {
  const agent = answer['agent']
  return printable(`${kind} ${typeof agent === 'string' ? `${agent}/` : ''}${name}`)
}

const settingsOf = (record: unknown): string => JSON.stringify(isRecord(record) ? { ...record, name: null } : null)

/** An agent that is made as one is that no file has any more: its file gave it another name. */
const isRenamed = (made: Planned, gone: Planned): boolean =>
  made.kind === 'agent' &&
  made.answer['action'] === 'create' &&
  gone.answer['action'] === 'delete' &&
  settingsOf(made.answer['after']) === settingsOf(gone.answer['before'])

const renamedOf = (planned: Planned, gone: readonly Planned[]): string | undefined => {
  const before = gone.find(one => isRenamed(planned, one))
  return before === undefined
    ? undefined
    : `renamed? ${printable(before.name)} with agent_id: ${String(before.answer['id'])} keeps its id and tokens`
}

const lineOf = (planned: Planned, gone: readonly Planned[]): string | undefined => {
  const { answer, place } = planned
  if (isRefused(planned)) {
    const { description } = answer['refusal'] as PrintedRecord // isRefused says so
    return `! ${nameOf(planned)}  ${printable(place)}: ${printable(String(description))}`
  }
  const remark = REMARKS[String(answer['remark'])]
  if (!isDifferent(planned)) return remark === undefined ? undefined : `  ${nameOf(planned)}  ${remark}`
  const ended = endsOf(planned)
  return [
    `${SIGNS[String(answer['action'])] ?? '?'} ${nameOf(planned)}`,
    ...membersOf(planned),
    ...(answer['action'] === 'adopt' ? ['is managed by this set from now on'] : []),
    ...(ended.reasons.length === 0 ? [] : [` ${formatEnded(ended)} (${ended.reasons.join(', ')})`]),
    ...(remark === undefined ? [] : [remark]),
    ...[renamedOf(planned, gone)].filter(text => text !== undefined),
  ].join('  ')
}

const countOf = (planned: readonly Planned[], actions: readonly string[]): number =>
  planned.filter(one => actions.includes(String(one.answer['action']))).length

/** What the plan does, in a sentence. */
export const summaryOf = ({ planned }: Plan): string => {
  const refused = planned.filter(isRefused).length
  if (refused > 0) return `${formatCount(refused, 'record')} cannot be applied: nothing is done.`
  const counts = [
    ['create', ['create']],
    ['change', ['change', 'replace']],
    ['adopt', ['adopt']],
    ['delete', ['delete']],
  ] as const
  const parts = counts.flatMap(([word, actions]) => {
    const count = countOf(planned, actions)
    return count === 0 ? [] : [`${count.toLocaleString('en-US')} to ${word}`]
  })
  if (parts.length === 0) return 'Nothing differs.'
  const ends = planned.map(endsOf)
  const tokens = ends.reduce((sum, { tokens: count }) => sum + count, 0)
  const isExact = ends.every(one => one.isExact)
  return `${parts.join(', ')}; ${formatEnded({ tokens, isExact })}.`
}

export const linesOf = (plan: Plan): readonly string[] => [
  ...plan.planned.flatMap(one => lineOf(one, plan.gone) ?? []),
  ...(plan.left === 0
    ? []
    : [`  kept, though in no file: ${formatCount(plan.left, 'record')} of the set; --prune deletes such`]),
]

/** For a comment on a change of the files: nothing in a line ends the block. */
export const formatMarkdown = (plan: Plan): string => {
  const lines = linesOf(plan)
  if (lines.length === 0) return `**mintmark apply**: ${summaryOf(plan)}`
  const longest = Math.max(0, ...lines.flatMap(line => [...line.matchAll(/`+/g)].map(([run]) => run.length)))
  const fence = '`'.repeat(Math.max(3, longest + 1))
  return [`**mintmark apply**: ${summaryOf(plan)}`, '', `${fence}diff`, ...lines, fence].join('\n')
}

/** For programs: as the service answered, with where each record stands. */
export const planRecord = (plan: Plan) => ({
  data: plan.planned.map(({ place, answer: { plan_id: _plan, ...answer } }) => ({ place, ...answer })),
  left: plan.left,
})
