// Reads variables and collects all mistakes. It knows all names, so that a mistyped name is a mistake too.
import { statSync } from 'node:fs'
import type { Setting } from '../../../api/values/settings.ts'
import { type Found, makeSettingRecords } from './setting-records.ts'
import { parseCertificatesFile, type Parser, parseUtf8File } from './values.ts'
import { fileVariableOf, type SettingName, type Variable, VARIABLES } from './variables.ts'

export type SettingReader = {
  /** The value, or undefined if the variable is unset or wrong; a wrong value is recorded as a mistake. */
  readonly optional: <T>(name: Variable, parse: Parser<T>) => T | undefined
  /** Like `optional`, but returns `fallback` where that is undefined. `shown`: the value in effect then, if `fallback` does not say it. */
  readonly orElse: <T, const F>(name: SettingName, parse: Parser<T>, fallback: F, shown?: string) => T | F
  /** Like `optional`, but an unset variable is a mistake, which says what was expected. */
  readonly required: <T>(name: Variable, parse: Parser<T>, expected: string) => T | undefined
  readonly isSet: (name: string) => boolean
  /** Every setting of the service, as far as it was read. */
  readonly settings: () => readonly Setting[]
  readonly mistake: (sentence: string) => void
  readonly mistakes: readonly string[]
  /** Warns if every user of the machine can read the secret file that the variable names. */
  readonly warnIfOpen: (name: Variable) => void
  readonly warn: (sentence: string) => void
  /** The warnings about the configuration, which are no mistakes. */
  readonly warnings: readonly string[]
}

type Environment = Readonly<Record<string, string | undefined>>

const DEBUGGER = /--inspect(?!-port|-publish-uid)/

/** The mode bit that lets users read who are neither the file's owner nor in its group. */
const READABLE_BY_OTHERS = 0o004

/** The mode of a file that others can read; undefined if they cannot, or if modes mean nothing here. */
const openMode = (path: string): number | undefined => {
  if (process.platform === 'win32') return undefined
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  return (mode & READABLE_BY_OTHERS) === 0 ? undefined : mode & 0o777
}

const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [i, character] of a.split('').entries()) {
    const next = [i + 1]
    for (const [j, other] of b.split('').entries()) {
      const replaced = (row[j] ?? 0) + (character === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

// At a greater distance a known name is not a likely misspelling.
const HINT_DISTANCE_MAX = 5

const nearestVariable = (name: string): string | undefined => {
  const bare = VARIABLES.find(known => name === `MINTMARK_${known}`)
  if (bare !== undefined) return bare
  const ranked = VARIABLES.map(known => ({ known, distance: editDistance(name, known) }))
  const [nearest] = ranked.toSorted((a, b) => a.distance - b.distance)
  return nearest !== undefined && nearest.distance <= HINT_DISTANCE_MAX ? nearest.known : undefined
}

const unknownVariables = (env: Environment): string[] =>
  Object.keys(env)
    .filter(name => name.startsWith('MINTMARK_') && env[name] !== undefined && !VARIABLES.some(known => known === name))
    .toSorted()
    .map(name => {
      const nearest = nearestVariable(name)
      const hint = nearest === undefined ? 'a name of docs/operating/settings.md' : `perhaps ${nearest}`
      return `${name} is not a variable of this version; expected ${hint}`
    })

/** Node's switch for all of its TLS: also for the keys of identity providers and clients, and for credentials that a command sends. */
const unverifiedTls = ({ NODE_TLS_REJECT_UNAUTHORIZED: text }: Environment): readonly string[] =>
  text === '0'
    ? [
        'NODE_TLS_REJECT_UNAUTHORIZED is 0, with which no certificate is verified and the keys of identity providers and clients can be forged; expected no such variable, and a CA of your own in NODE_EXTRA_CA_CERTS',
      ]
    : []

const parseExtraAuthorities = parseCertificatesFile(() => true, 'a PEM file with certificates only')

/** Node goes on without a file that it cannot read, with a warning at most: a provider of that authority would be out of reach. */
const unreadAuthorities = ({ NODE_EXTRA_CA_CERTS: path = '' }: Environment): readonly string[] => {
  const file = path === '' ? undefined : parseExtraAuthorities(path)
  return file !== undefined && 'wrong' in file ? [`NODE_EXTRA_CA_CERTS ${file.wrong}`] : []
}

/** A caller of the debugger reads the memory of the process. */
const debuggerWarnings = ({ NODE_OPTIONS = '' }: Environment): string[] =>
  DEBUGGER.test(NODE_OPTIONS)
    ? [
        'NODE_OPTIONS has --inspect, which opens a debugging port where every user of this machine can read the keys of the service; expected NODE_OPTIONS without it',
      ]
    : []

/** Secrets that were chosen elsewhere: any text may be one. */
const ANY_TEXT: readonly string[] = ['PGPASSWORD', 'MINTMARK_CLIENT_SECRET', 'MINTMARK_CONSOLE_CLIENT_SECRET']

/**
 * What a shell would have taken off, and what reads lines of NAME=VALUE itself, as Docker does, keeps: of a path it would be a part,
 * and a store would be made in another folder. It quotes nothing, as the value may be a secret.
 */
const flawOfEdges = (name: string, text: string): string | undefined => {
  if (ANY_TEXT.includes(name)) return undefined
  if (/^[\s\p{C}]|[\s\p{C}]$/u.test(text)) return 'begins or ends with a space or an invisible character; expected none'
  return /^(?:(["']).*\1|[“‘].*[”’])$/s.test(text) ? 'stands in quotation marks; expected it without' : undefined
}

export const makeSettingReader = (env: Environment): SettingReader => {
  const mistakes = [...unknownVariables(env), ...unverifiedTls(env), ...unreadAuthorities(env)]
  // An empty variable counts as unset: Compose files and CI systems set empty ones.
  const isSet = (name: string): boolean => env[name] !== undefined && env[name] !== ''

  const warnings = debuggerWarnings(env)
  const records = makeSettingRecords()

  const warnIfOpen = (name: Variable): void => {
    const path = env[name] ?? ''
    const mode = openMode(path)
    if (mode === undefined) return
    warnings.push(
      `${name} names ${JSON.stringify(path)}, which every user of this machine can read (mode 0${mode.toString(8)}); expected a file for the service alone: chmod o-r, or a mode such as 0440 where something mounts it.`,
    )
  }

  const readSecretFile = (name: Variable): Found | undefined => {
    const file = parseUtf8File(env[name] ?? '')
    if ('wrong' in file) {
      mistakes.push(`${name} ${file.wrong}`)
      return undefined
    }
    warnIfOpen(name)
    return { source: 'secret_file', variable: name, text: file.value.trim() }
  }

  const readVariable = (name: Variable): Found | undefined => {
    if (!isSet(name)) return undefined
    const text = env[name] ?? ''
    const flaw = flawOfEdges(name, text)
    if (flaw === undefined) return { source: 'environment', variable: name, text }
    mistakes.push(`${name} ${flaw}`)
    return undefined
  }

  const find = (name: Variable): Found | undefined => {
    const file = fileVariableOf(name)
    if (file === undefined || !isSet(file)) return readVariable(name)
    if (!isSet(name)) return readSecretFile(file)
    mistakes.push(`${name} and ${file} are both set; expected one of them`)
    return undefined
  }

  const read = <T, const F>(name: Variable, parse: Parser<T>, fallback: F, shown?: string): T | F => {
    const found = find(name)
    records.add(name, { found, fallback: shown ?? fallback, bounds: parse.bounds })
    if (found === undefined) return fallback
    const answer = parse(found.text)
    if ('value' in answer) return answer.value
    mistakes.push(`${found.variable} ${answer.wrong}`)
    return fallback
  }

  const optional = <T>(name: Variable, parse: Parser<T>): T | undefined => read(name, parse, undefined)

  const required = <T>(name: Variable, parse: Parser<T>, expected: string): T | undefined => {
    if (!isSet(name) && !isSet(fileVariableOf(name) ?? '')) {
      mistakes.push(`${name} is not set; expected ${expected}`)
      return undefined
    }
    return optional(name, parse)
  }

  const mistake = (sentence: string): void => void mistakes.push(sentence)
  const warn = (sentence: string): void => void warnings.push(sentence)
  const { settings } = records
  return { optional, orElse: read, required, isSet, settings, mistake, mistakes, warnIfOpen, warn, warnings }
}
