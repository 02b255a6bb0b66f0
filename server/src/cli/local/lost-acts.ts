// What an export of the audit log says was ended in the time that a restore lost: what is done again, and what is left to a
// person to look at.
import { type IssuerSubject, parseIssuerSubject } from '../../../../api/values/subject.ts'
import { type Milliseconds, parseTime } from '../../../../api/values/time.ts'
import { CommandFailed } from '../terminal/exit.ts'
import { parseJson } from '../terminal/parse-json.ts'
import { isRecord, type PrintedRecord } from '../terminal/print.ts'

type Entry = {
  readonly n: number
  readonly at: string
  readonly kind: string
  readonly subject: string
  readonly detail: PrintedRecord
  /** The agent that the act is about, where the program that wrote the export knew it. */
  readonly agent_name: string
  readonly owner: string
}

/** An act that is done again by a request of the API. */
export type LostAct = Entry & {
  readonly kind: 'agent.disable' | 'agent.delete' | 'credential.revoke' | 'api_key.revoke' | 'subject.block'
  /** The agent of a credential. */
  readonly agentId: string
  /** What was blocked. */
  readonly blocked: IssuerSubject
  readonly reason: string
}

export type LostActs = {
  readonly again: readonly LostAct[]
  /** Those that took something away in a way of which only a person knows whether it is still meant. */
  readonly left: readonly Entry[]
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const entryOf = (line: string, number: number): Entry => {
  const record = parseJson(line)
  const isEntry = isRecord(record) && typeof record['n'] === 'number' && typeof record['kind'] === 'string'
  if (!isEntry || parseTime(textOf(record['at'])) === undefined) {
    throw new CommandFailed(
      `Line ${number} is no entry of the audit log: expected what \`mintmark audit export --format ndjson\` writes. Nothing was changed.`,
    )
  }
  const { n, at, kind, subject, detail, agent_name: name, owner } = record
  return {
    n: Number(n),
    at: textOf(at),
    kind: textOf(kind),
    subject: textOf(subject),
    detail: isRecord(detail) ? detail : {},
    agent_name: textOf(name),
    owner: textOf(owner),
  }
}

// Tokens have all ended and signing keys are all retired by the restore; what was made since is not there.
// An alias may be that of another issuer since.
const LEFT = [
  'agent.change',
  'credential.rotate',
  'credential.convert',
  'api_key.rotate',
  'issuer.change',
  'issuer.disable',
  'issuer.delete',
]

const AGAIN = ['agent.disable', 'agent.delete', 'credential.revoke', 'api_key.revoke', 'subject.block'] as const

/** The subject of other acts, and of an entry that names none. */
const NOBODY: IssuerSubject = { issuer: '', sub: '' }

const actOf = (entry: Entry): LostAct | undefined => {
  const { kind, detail } = entry
  const again = AGAIN.find(one => one === kind)
  if (again === undefined) return undefined
  const blocked = parseIssuerSubject(entry.subject) ?? NOBODY
  return { ...entry, kind: again, agentId: textOf(detail['agent_id']), blocked, reason: textOf(detail['reason']) }
}

/** The backup has no such issuer, so its alias may be that of another by now: whom to block there a person must say. */
const ofLostIssuers = (entries: readonly Entry[]): ((act: LostAct) => boolean) => {
  const lost = new Set(entries.filter(({ kind }) => kind === 'issuer.create').map(({ subject }) => subject))
  return ({ kind, blocked }) => kind === 'subject.block' && (blocked === NOBODY || lost.has(blocked.issuer))
}

/** What undoes an act: it is not done again, and what was so at the time of the backup stays so. */
const UNDONE_BY: Readonly<Record<string, LostAct['kind']>> = {
  'agent.enable': 'agent.disable',
  'subject.unblock': 'subject.block',
}

/** In the order in which they were done. */
export const lostActsIn = (text: string, since: Milliseconds): LostActs => {
  const lines = text.split('\n').flatMap((line, n) => (line.trim() === '' ? [] : [entryOf(line, n + 1)]))
  const entries = lines.filter(({ at }) => (parseTime(at) ?? 0) >= since).toSorted((a, b) => a.n - b.n)
  const acts = new Map<string, LostAct>()
  for (const entry of entries) {
    const act = actOf(entry)
    if (act !== undefined) acts.set(`${act.kind} ${act.subject}`, act)
    const undone = UNDONE_BY[entry.kind]
    if (undone !== undefined) acts.delete(`${undone} ${entry.subject}`)
  }
  const isOfLostIssuer = ofLostIssuers(entries)
  const again = [...acts.values()].filter(act => !isOfLostIssuer(act))
  const left = [...entries.filter(({ kind }) => LEFT.includes(kind)), ...[...acts.values()].filter(isOfLostIssuer)]
  return { again, left: left.toSorted((a, b) => a.n - b.n) }
}
