// What is released: one version, that of server/package.json, and the time of its commit.
import { execFileSync } from 'node:child_process'
import { readText, REPOSITORY } from '../../testkit/sources/source-files.ts'

type Product = { readonly name: string; readonly version: string; readonly license: string }

export const readProduct = (): Product => JSON.parse(readText('server/package.json')) as Product

/** Seconds since 1970, as `SOURCE_DATE_EPOCH` says it (reproducible-builds.org): given, or of the commit that is built. */
export const readSourceDate = (): number => {
  const given = process.env['SOURCE_DATE_EPOCH']
  const text = given ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: REPOSITORY, encoding: 'utf8' })
  const seconds = Number(text)
  if (!Number.isSafeInteger(seconds) || text.trim() === '')
    throw new Error(`SOURCE_DATE_EPOCH is ${text}; expected whole seconds since 1970.`)
  return seconds
}
