// Reads variables and collects all mistakes. It knows all names, so that a mistyped name is a mistake too.
import { statSync } from 'node:fs'
import type { Setting } from '../../../api/values/settings.ts'
import { type Found, makeSettingRecords } from './setting-records.ts'
import { parseCertificatesFile, parseUtf8File } from './files.ts'
import type { ReadOf, ValueOf } from './settings/setting-entry.ts'
import {
  entryOf,
  fileVariableOf,
  type SecretFile,
  type Variable,
  type Variables,
  VARIABLES,
} from './settings/settings.ts'
import type { Parsed } from './values.ts'

/** A variable that is wrong is recorded as a mistake, and read as one that is not set. */
export type SettingReader = {
  /** The value, or else its default; undefined if it has none. `shown`: the default in effect, if the table does not name it. */
  readonly value: <Name extends Variable>(name: Name, shown?: string) => ReadOf<Variables[Name]>
  /** The value, or else that of a default which depends on other settings. */
  readonly orElse: <Name extends Variable>(name: Name, fallback: string) => ValueOf<Variables[Name]>
  /** Like `value`, but an unset variable is a mistake, which says what was expected. */
  readonly required: <Name extends Variable>(name: Name) => ValueOf<Variables[Name]> | undefined
  /** The value that was parsed of a variable elsewhere; a wrong one is recorded as a mistake. */
  readonly accept: <T>(name: Variable, parsed: Parsed<T>) => T | undefined
  readonly isSet: (name: string) => boolean
  /** Every setting of the service, as far as it was read. */
  readonly settings: () => readonly Setting[]
  readonly mistake: (sentence: string) => void
  readonly mistakes: readonly string[]
  /** Warns if every user of the machine can read the secret file that the variable names. */
  readonly warnIfOpen: (name: Variable | SecretFile) => void
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
      const hint = nearest === undefined ? 'a name of docs/reference/settings.md' : `perhaps ${nearest}`
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

/**
 * A shell removes quotation marks and spaces around a value; Docker, which reads lines of NAME=VALUE itself, keeps them. In a path they
 * would name another folder, and a store would be made there. The message quotes nothing, as the value may be a secret.
 */
const flawOfEdges = (name: Variable, text: string): string | undefined => {
  if (entryOf(name).isAnyText === true) return undefined
  if (/^[\s\p{C}]|[\s\p{C}]$/u.test(text)) return 'begins or ends with a space or an invisible character; expected none'
  return /^(?:(["']).*\1|[“‘].*[”’])$/s.test(text) ? 'stands in quotation marks; expected it without' : undefined
}

// An empty variable counts as unset: Compose files and CI systems set empty ones.
const isSetIn = (env: Environment, name: string): boolean => env[name] !== undefined && env[name] !== ''

type Notes = { readonly mistakes: string[]; readonly warnings: string[] }

/** Finds what is set: a variable, or the file that one names. */
const makeFinder = (env: Environment, { mistakes, warnings }: Notes) => {
  const warnIfOpen = (name: Variable | SecretFile): void => {
    const path = env[name] ?? ''
    const mode = openMode(path)
    if (mode === undefined) return
    warnings.push(
      `${name} names ${JSON.stringify(path)}, which every user of this machine can read (mode 0${mode.toString(8)}); expected a file for the service alone: chmod o-r, or a mode such as 0440 where something mounts it.`,
    )
  }

  const readSecretFile = (name: SecretFile): Found | undefined => {
    const file = parseUtf8File(env[name] ?? '')
    if ('wrong' in file) {
      mistakes.push(`${name} ${file.wrong}`)
      return undefined
    }
    warnIfOpen(name)
    return { source: 'secret_file', variable: name, text: file.value.trim() }
  }

  const readVariable = (name: Variable): Found | undefined => {
    if (!isSetIn(env, name)) return undefined
    const text = env[name] ?? ''
    const flaw = flawOfEdges(name, text)
    if (flaw === undefined) return { source: 'environment', variable: name, text }
    mistakes.push(`${name} ${flaw}`)
    return undefined
  }

  const find = (name: Variable): Found | undefined => {
    const file = fileVariableOf(name)
    if (file === undefined || !isSetIn(env, file)) return readVariable(name)
    if (!isSetIn(env, name)) return readSecretFile(file)
    mistakes.push(`${name} and ${file} are both set; expected one of them`)
    return undefined
  }

  return { find, warnIfOpen }
}

const valueOfDefault = (name: Variable, fallback: string): unknown => {
  const parsed = entryOf(name).parse(fallback)
  if ('value' in parsed) return parsed.value
  throw new Error(`the default of ${name} ${parsed.wrong}`)
}

export const makeSettingReader = (env: Environment): SettingReader => {
  const mistakes = [...unknownVariables(env), ...unverifiedTls(env), ...unreadAuthorities(env)]
  const warnings = debuggerWarnings(env)
  const { find, warnIfOpen } = makeFinder(env, { mistakes, warnings })
  const records = makeSettingRecords()
  const isSet = (name: string): boolean => isSetIn(env, name)

  const accept = <T>(name: Variable | SecretFile, parsed: Parsed<T>): T | undefined => {
    if ('value' in parsed) return parsed.value
    mistakes.push(`${name} ${parsed.wrong}`)
    return undefined
  }

  /** `fallback`: what is read where the variable is not set, or wrong; `shown`: the default in effect. */
  const read = (name: Variable, fallback: string | undefined, shown = fallback): unknown => {
    const found = find(name)
    records.add(name, { found, fallback: shown })
    const value = found === undefined ? undefined : accept(found.variable, entryOf(name).parse(found.text))
    return value === undefined && fallback !== undefined ? valueOfDefault(name, fallback) : value
  }

  // The parser of the same entry returned it.
  const value = <Name extends Variable>(name: Name, shown?: string): ReadOf<Variables[Name]> =>
    read(name, entryOf(name).fallback, shown) as ReadOf<Variables[Name]>

  const orElse = <Name extends Variable>(name: Name, fallback: string): ValueOf<Variables[Name]> =>
    read(name, fallback) as ValueOf<Variables[Name]>

  const required = <Name extends Variable>(name: Name): ValueOf<Variables[Name]> | undefined => {
    if (isSet(name) || isSet(fileVariableOf(name) ?? '')) return value(name)
    mistakes.push(`${name} is not set; expected ${entryOf(name).required ?? 'a value'}`)
    return undefined
  }

  const mistake = (sentence: string): void => void mistakes.push(sentence)
  const warn = (sentence: string): void => void warnings.push(sentence)
  const { settings } = records
  return { value, orElse, required, accept, isSet, settings, mistake, mistakes, warnIfOpen, warn, warnings }
}
