// The acts on trusted issuers, each on one of its own; returns the alias, which its row in the audit must name.
import type { Act } from '../../../src/domain/audit/act.ts'
import type { ActKind } from '../../../../api/values/audit.ts'
import type { IssuerSubject } from '../../../../api/values/subject.ts'
import { newIssuer } from '../../../../testkit/stores/new-things.ts'
import { act as made, type TestedStore } from '../../../../testkit/stores/store.ts'

type Issuers = TestedStore['issuers']

const on =
  (work: (issuers: Issuers, alias: string, act: Act) => Promise<unknown>) =>
  async ({ issuers }: TestedStore, act: Act): Promise<string> => {
    const issuer = newIssuer()
    await issuers.create(issuer, made('issuer.create'))
    await work(issuers, issuer.alias, act)
    return issuer.alias
  }

/** On a subject for whom no token was issued; the row names it as tokens do. */
const onSubject = (work: (issuers: Issuers, subject: IssuerSubject, act: Act) => Promise<unknown>) => {
  const sub = 'S:1'
  return async (store: TestedStore, act: Act): Promise<string> => {
    const alias = await on((issuers, issuer) => work(issuers, { issuer, sub }, act))(store, act)
    return `${alias}:${sub}`
  }
}

export const ON_ISSUERS = {
  'issuer.create': async ({ issuers }: TestedStore, act: Act): Promise<string> => {
    const issuer = newIssuer()
    await issuers.create(issuer, act)
    return issuer.alias
  },
  'issuer.change': on((issuers, alias, act) => issuers.change(alias, { parties: ['web'] }, act)),
  'issuer.disable': on((issuers, alias, act) => issuers.disable(alias, act)),
  'issuer.enable': on(async (issuers, alias, act) => {
    await issuers.disable(alias, made('issuer.disable'))
    await issuers.enable(alias, act)
  }),
  'issuer.delete': on((issuers, alias, act) => issuers.delete(alias, act)),
  'subject.block': onSubject((issuers, subject, act) => issuers.block(subject, act)),
  'subject.unblock': onSubject(async (issuers, subject, act) => {
    await issuers.block(subject, made('subject.block'))
    await issuers.unblock(subject, act)
  }),
} satisfies Partial<Record<ActKind, unknown>>
