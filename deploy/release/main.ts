// npm run release -- [--dry-run] [--only PART …] [--output FOLDER]: builds everything that a release consists of, with checksums, and
// publishes nothing. A dry run leaves out what takes minutes. What needs a program that is missing is skipped by name.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { findProgram } from '../../testkit/processes/find-program.ts'
import { REPOSITORY } from '../../testkit/sources/source-files.ts'
import { refusedLicenses } from './licenses.ts'
import { type Part, PARTS, readRelease, type Release } from './parts.ts'

/** The exit code where something was skipped for want of a program. */
const SKIPPED = 2
const CHECKSUMS = 'SHA256SUMS'
const USAGE = '[--dry-run] [--only PART …] [--output FOLDER]'

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const giveUp = (reason: string): never => {
  process.stderr.write(`release: ${reason}\n`)
  process.exit(1)
}

const options = {
  'dry-run': { type: 'boolean', default: false },
  only: { type: 'string', multiple: true, default: Object.keys(PARTS) },
  output: { type: 'string', default: join(REPOSITORY, 'dist/release') },
} as const

const findPart = (name: string): readonly [name: string, part: Part] => {
  const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined
  return [name, part ?? giveUp(`there is no part ${name}; expected ${Object.keys(PARTS).join(', ')}.`)]
}

/** Answers the name of the file, or null. */
const build = ([name, part]: readonly [string, Part], release: Release, isDry: boolean): string | null => {
  const program = part.needs === undefined ? '' : findProgram(part.needs)
  if (program === undefined) {
    print(`${name}: skipped, ${part.needs} is missing`)
    if (!isDry) process.exitCode = SKIPPED
    return null
  }
  if (part.isSlow === true && isDry) {
    print(`${name}: not built in a dry run`)
    return null
  }
  const file = part.build(release, program)
  print(`${name}: ${file}`)
  return file
}

/** As `sha256sum --check` reads it. */
const checksumOf = (folder: string, name: string): string =>
  `${createHash('sha256')
    .update(readFileSync(join(folder, name)))
    .digest('hex')}  ${name}\n`

const readOptions = () => {
  try {
    return parseArgs({ options }).values
  } catch (fault) {
    return giveUp(`${fault instanceof Error ? fault.message : String(fault)}\nUsage: npm run release -- ${USAGE}`)
  }
}

/** One level at a time: in a file system that takes no folders, as /proc, a recursive mkdir does not end. */
const makeLevels = (folder: string): void => {
  if (existsSync(folder)) return
  makeLevels(dirname(folder))
  mkdirSync(folder)
}

/** Tried at once, not after minutes of building. Whether root may write is known only once it does. */
const makeOutput = (folder: string): string => {
  try {
    makeLevels(folder)
    rmdirSync(mkdtempSync(join(folder, '.release-')))
    return folder
  } catch (fault) {
    return giveUp(`--output: ${folder} takes no files: ${fault instanceof Error ? fault.message : String(fault)}`)
  }
}

const values = readOptions()
const parts = values.only.map(findPart)
const folder = makeOutput(resolve(values.output))
const release = readRelease(folder)
const refused = refusedLicenses(release.shipped)
if (refused.length > 0) giveUp(`not on the list of deploy/release/licenses.ts:\n  ${refused.join('\n  ')}`)
print(`mintmark ${release.version} with ${release.shipped.length} packages of others, into ${folder}`)
const files = parts.flatMap(part => build(part, release, values['dry-run']) ?? [])
writeFileSync(join(folder, CHECKSUMS), files.map(name => checksumOf(folder, name)).join(''))
print(`${CHECKSUMS}: ${files.length} files`)
