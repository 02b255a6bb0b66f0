// What the operations on trusted issuers do.
import * as api from '../../../../api/issuers.ts'
import { issuerRecord, newIssuerOf, type SwitchedIssuer } from '../../domain/clients/trusted-issuer.ts'
import { subjectRecord, type SwitchedSubject } from '../../domain/clients/blocked-subject.ts'
import { formatEnds } from '../../domain/ledger/ends.ts'
import {
  changeIssuer,
  createIssuer,
  deleteIssuer,
  disableIssuer,
  enableIssuer,
  listIssuers,
  showIssuer,
} from '../../operations/issuers/issuers.ts'
import { blockSubject, listSubjects, unblockSubject } from '../../operations/issuers/subjects.ts'
import { bind, bindList } from './binding.ts'

const switchedSubject = (subject: SwitchedSubject) => ({ ...subjectRecord(subject), changed: subject.changed })

const switchedRecord = (issuer: SwitchedIssuer) => ({ ...issuerRecord(issuer), changed: issuer.changed })

export const bindings = [
  bind(api.createIssuer, {
    run: (ports, origin, { body }) => createIssuer(ports, origin, newIssuerOf(body)),
    answer: issuerRecord,
    location: ({ alias }) => `/api/v1/issuers/${alias}`,
  }),
  bindList(api.listIssuers, { filtersOf: () => ({}), list: listIssuers, format: issuerRecord }),
  bind(api.showIssuer, {
    run: (ports, { caller }, { path }) => showIssuer(ports, caller, path.alias),
    answer: issuerRecord,
  }),
  bind(api.changeIssuer, {
    run: (ports, origin, { path, body }) =>
      changeIssuer(ports, origin, path.alias, {
        jwksUri: body.jwks_uri,
        algorithms: body.algorithms,
        tokenTypes: body.token_types,
        parties: body.parties,
        scopes: body.scope,
        resources: body.resources,
        lifetimeSeconds: body.lifetime_seconds,
      }),
    answer: issuerRecord,
  }),
  bind(api.deleteIssuer, {
    run: (ports, origin, { path, query }) =>
      deleteIssuer(ports, origin, path.alias, { note: query.note ?? null, dryRun: query.dry_run ?? false }),
    status: found => ('ends' in found ? 200 : 204),
    answer: found => ('ends' in found ? formatEnds(found) : undefined),
  }),
  bind(api.disableIssuer, {
    run: (ports, origin, { path, body }) =>
      disableIssuer(ports, origin, path.alias, { note: body.note ?? null, dryRun: body.dry_run ?? false }),
    answer: found => ('ends' in found ? formatEnds(found) : switchedRecord(found)),
  }),
  bind(api.enableIssuer, {
    run: (ports, origin, { path, body }) => enableIssuer(ports, origin, path.alias, body.note ?? null),
    answer: switchedRecord,
  }),
  bind(api.blockSubject, {
    run: (ports, origin, { path, body: { sub, note = null, dry_run: dryRun = false } }) =>
      blockSubject(ports, origin, { issuer: path.alias, sub }, { note, dryRun }),
    answer: found => ('ends' in found ? formatEnds(found) : switchedSubject(found)),
  }),
  bind(api.unblockSubject, {
    run: (ports, origin, { path, body }) =>
      unblockSubject(ports, origin, { issuer: path.alias, sub: body.sub }, body.note ?? null),
    answer: switchedSubject,
  }),
  bindList(api.listSubjects, {
    filtersOf: ({ sub = null }, { alias }) => ({ alias, sub }),
    list: listSubjects,
    format: subjectRecord,
  }),
]
