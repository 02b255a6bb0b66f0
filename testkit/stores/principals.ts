// Issuers that a test's store trusts, and subjects of theirs for whom tokens are issued.
import type { NewPrincipal, Principal } from '../../server/src/domain/ledger/token-subject.ts'
import { isDatabaseUrl } from '../databases/postgres-cluster.ts'
import { execBeside, readRowBeside } from './store-file.ts'

/** A principal as a new token names it, and as a record shows it. */
export type TestPrincipal = { readonly asked: NewPrincipal; readonly shown: Principal }

const ISS = 'https://idp.example'
const ALIASES = ['acme', 'acme-two'] as const
/** One that two issuers have, one with colons, one like the id of an agent, and one that JSON escapes. */
const SUBS = ['alice', 'repo:org/app:ref:main', '0198d4c2-5d7c-7b7a-9c3e-1f2a3b4c5d6e', '"\\,"iat":1,"exp":2,"jti":"']

/** Trusts two issuers of one name. */
export const makePrincipals = async (file: string): Promise<readonly TestPrincipal[]> => {
  const principals: TestPrincipal[] = []
  for (const issuer of ALIASES) {
    await execBeside(file, `insert into trusted_issuer (alias, iss) values ('${issuer}', '${ISS}')`)
    const { n } = await readRowBeside(file, `select n from trusted_issuer where alias = '${issuer}'`)
    principals.push(...SUBS.map(sub => ({ asked: { issuer: Number(n), sub }, shown: { issuer, iss: ISS, sub } })))
  }
  return principals
}

/** A text in SQL. What a backslash means without the E is a setting of the database, and tests set it either way. */
const textFor = (file: string, text: string): string =>
  isDatabaseUrl(file) ? `E'${text.replaceAll('\\', '\\\\')}'` : `'${text}'`

/** One that is stored before a token acts for it, with its number. */
export type KeptPrincipal = TestPrincipal & { readonly number: number }

export const keepPrincipals = async (file: string): Promise<readonly KeptPrincipal[]> => {
  const kept: KeptPrincipal[] = []
  for (const principal of await makePrincipals(file)) {
    const { issuer } = principal.asked
    const sub = textFor(file, principal.asked.sub)
    await execBeside(file, `insert into principal (issuer, sub, used_day) values (${issuer}, ${sub}, 0)`)
    const { n } = await readRowBeside(file, `select n from principal where issuer = ${issuer} and sub = ${sub}`)
    kept.push({ ...principal, number: Number(n) })
  }
  return kept
}
