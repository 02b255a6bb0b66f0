// Reads files of declared records: YAML 1.2 without anchors, aliases, tags and repeated keys, or JSON, which is such YAML.
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  parseAllDocuments,
  visit,
  type YAMLMap,
} from 'yaml'
import { MANAGED_KINDS } from '../../../../api/values/managed.ts'
import { CommandFailed } from '../terminal/exit.ts'
import { isRecord, type PrintedRecord } from '../terminal/print.ts'
import { readDocument } from '../terminal/standard-input.ts'

/** A record, and where a person finds it. */
export type Declared = {
  readonly place: string
  readonly record: PrintedRecord
}

/** Some 10,000 agents with all that they may have. */
const FILE_BYTES_MAX = 33_554_432

const KINDS = MANAGED_KINDS.join(', ')

const CORE = {
  version: '1.2',
  schema: 'core',
  strict: true,
  // Compares each key with all others; repeatedIn looks each up.
  uniqueKeys: false,
  stringKeys: true,
  merge: false,
  // Each is refused, so nothing is worth a warning.
  logLevel: 'silent',
} as const

type Foreign = { readonly what: string; readonly at: number }

const repeatedIn = ({ items }: YAMLMap): Node | undefined => {
  const seen = new Set<unknown>()
  for (const { key } of items) {
    if (!isScalar(key)) continue
    if (seen.has(key.value)) return key
    seen.add(key.value)
  }
  return undefined
}

const foreignIn = (node: Node): Foreign | undefined => {
  const at = node.range?.[0] ?? 0
  if (isAlias(node)) return { what: 'an alias', at }
  if ('anchor' in node && node.anchor !== undefined) return { what: 'an anchor', at }
  if (node.tag !== undefined) return { what: 'a tag', at }
  const repeated = isMap(node) ? repeatedIn(node) : undefined
  return repeated === undefined ? undefined : { what: 'a key that repeats another', at: repeated.range?.[0] ?? at }
}

/** What is in the document that readers of YAML take differently, or that grows when it is read. */
const foreignTo = (document: Document.Parsed): Foreign | undefined => {
  let found: Foreign | undefined
  visit(document, (_key, node) => {
    found = isNode(node) ? foreignIn(node) : undefined
    return found === undefined ? undefined : visit.BREAK
  })
  return found
}

/** Numbers that JSON does not have, of which one would be sent as null. */
const hasForeignNumber = (value: unknown): boolean => {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value === 'bigint') return true
  return typeof value === 'object' && value !== null && Object.values(value).some(hasForeignNumber)
}

const recordIn = (value: unknown, place: string): Declared => {
  if (!isRecord(value)) throw new CommandFailed(`${place}: a document is one record, an object with kind: ${KINDS}.`)
  if (!MANAGED_KINDS.some(kind => kind === value['kind']))
    throw new CommandFailed(`${place}: kind is not one of ${KINDS}.`)
  if (hasForeignNumber(value)) throw new CommandFailed(`${place}: a number is infinite, or none.`)
  return { place, record: value }
}

/** Undefined where the text says nothing; an empty list says that there is nothing. */
const readText = (file: string, text: string): readonly Declared[] | undefined => {
  const lines = new LineCounter()
  const placeOf = (offset: number): string => `${file === '-' ? 'standard input' : file}:${lines.linePos(offset).line}`
  const documents = parseAllDocuments(text, { ...CORE, lineCounter: lines })
  if (!Array.isArray(documents)) return undefined
  const read = documents.flatMap(document => {
    const [fault] = [...document.errors, ...document.warnings]
    if (fault !== undefined) {
      const [about = ''] = fault.message.split('\n')
      throw new CommandFailed(`${placeOf(fault.pos[0])}: ${about.replace(/ at line \d+, column \d+:?$/, '')}.`)
    }
    const foreign = foreignTo(document)
    if (foreign !== undefined) throw new CommandFailed(`${placeOf(foreign.at)}: ${foreign.what} is not allowed.`)
    const value: unknown = document.toJS({ maxAliasCount: 0 })
    const at = document.contents?.range[0] ?? 0
    // A document that says nothing, as behind the last line of dashes.
    if (value === null) return []
    return [
      Array.isArray(value)
        ? value.map((one, n) => recordIn(one, `${placeOf(at)}, item ${n + 1}`))
        : [recordIn(value, placeOf(at))],
    ]
  })
  return read.length === 0 ? undefined : read.flat()
}

/** The records of the files, in order. Throws a CommandFailed that says where something is wrong, and repeats no value. */
export const readDeclared = async (files: readonly string[]): Promise<readonly Declared[]> => {
  const declared: Declared[] = []
  for (const file of files) {
    const text = await readDocument(file, FILE_BYTES_MAX)
    try {
      const records = readText(file, text)
      // A template that failed leaves such a file, and --prune would delete all that was in it.
      if (records === undefined)
        throw new CommandFailed(`${file}: it holds no record. Where none is to be left, write an empty list: [].`)
      for (const record of records) declared.push(record)
    } catch (fault) {
      // The parser calls itself for what is nested.
      if (fault instanceof RangeError) throw new CommandFailed(`${file}: it is nested too deeply.`)
      throw fault
    }
  }
  return declared
}
