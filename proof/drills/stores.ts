// The stores under a drill: the embedded one, and databases that compare text in different ways.
import { randomUUID } from 'node:crypto'
import { databaseUrl, runStatement, testCluster } from '../../testkit/databases/postgres-cluster.ts'
import type { Variables } from './service-under-drill.ts'

export const STORES = ['sqlite', 'postgres'] as const

export type StoreKind = (typeof STORES)[number]

export type StoreUnderDrill = {
  readonly kind: StoreKind
  readonly name: string
  /** Makes it, and gives the settings of a service on it. */
  readonly make: (print: (line: string) => void) => Promise<Variables>
}

const createDatabase = async (options: string): Promise<string> => {
  const cluster = await testCluster()
  const name = `drill_${randomUUID().replaceAll('-', '')}`
  await runStatement(databaseUrl(cluster, 'postgres'), `create database ${name} template template0 ${options}`)
  return databaseUrl(cluster, name)
}

// The PostgreSQL of the tests: what a disk keeps is for other drills.
const variablesOf = (url: string): Variables => ({
  DATABASE_URL: url,
  MINTMARK_ALLOW_UNSAFE_DATABASE: 'fsync,full_page_writes',
})

const createEnglish = async (print: (line: string) => void): Promise<string> => {
  try {
    return await createDatabase("locale 'en_US.UTF-8'")
  } catch {
    print('  This machine has no locale en_US.UTF-8: en-US of ICU takes its place.')
    return createDatabase("locale_provider icu icu_locale 'en-US' locale 'C'")
  }
}

export const STORES_UNDER_DRILL: readonly StoreUnderDrill[] = [
  { kind: 'sqlite', name: 'sqlite', make: async () => ({}) },
  { kind: 'postgres', name: 'postgres C', make: async () => variablesOf(await createDatabase("locale 'C'")) },
  { kind: 'postgres', name: 'postgres en_US', make: async print => variablesOf(await createEnglish(print)) },
]

/** One store of each kind, for drills on which what a database compares texts by has no bearing; or of this kind alone. */
export const storesUnderDrill = (kind: StoreKind | null): readonly StoreUnderDrill[] =>
  STORES.filter(each => kind === null || each === kind).flatMap(each =>
    STORES_UNDER_DRILL.filter(store => store.kind === each).slice(0, 1),
  )
