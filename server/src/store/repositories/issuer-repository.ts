// The port of trusted issuers. Those that are trusted now are kept in memory, for each exchange of a JWT needs them.
import type { IssuerRepository, TrustedIssuers, TrustedRecord } from '../../ports/issuers.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import type { Program } from '../statement-program.ts'
import type { Writer } from '../subjects.ts'
import { makeVersionKeyedCache } from './client-repositories.ts'
import { listSubjects } from './blocked-subjects.ts'
import { listIssuers, readIssuers, showIssuer } from './issuers.ts'

const ALL = 'all'

function* readTrusted(): Program<readonly TrustedRecord[]> {
  return (yield* readIssuers()).filter(({ disabledAt, suspendedAt }) => disabledAt === null && suspendedAt === null)
}

/** Returns the program that reads those trusted as of a snapshot: from memory, while the number of the service stays. */
export const makeTrustedView = () => {
  const cached = makeVersionKeyedCache<readonly TrustedRecord[]>(readTrusted)
  return function* (snapshot: Snapshot): Program<TrustedIssuers> {
    const issuers = cached.known(snapshot, ALL) ?? (yield* cached.read(snapshot, ALL)) ?? []
    return { seq: snapshot.service.seq, issuers }
  }
}

export const makeIssuerRepository = ({ readUntimed }: Reader, { call }: Writer): IssuerRepository => {
  const view = makeTrustedView()
  return {
    create: (issuer, act) => call('createIssuer', { issuer, act }),
    show: alias => readUntimed(() => showIssuer(alias)),
    list: request => readUntimed(() => listIssuers(request)),
    change: (alias, change, act) => call('changeIssuer', { alias, change, act }),
    disable: (alias, act) => call('disableIssuer', { alias, act }),
    enable: (alias, act) => call('enableIssuer', { alias, act }),
    delete: (alias, act) => call('deleteIssuer', { alias, act }),
    trusted: () => readUntimed(view),
    block: (subject, act) => call('blockSubject', { subject, act }),
    unblock: (subject, act) => call('unblockSubject', { subject, act }),
    subjects: request => readUntimed(() => listSubjects(request)),
  }
}
