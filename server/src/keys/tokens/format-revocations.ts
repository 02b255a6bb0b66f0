// The payload of a document of the revocation feed as text (docs/revocation-feed.md).
import type { RevocationDocument } from '../../domain/ledger/revocation-document.ts'

/** JSON. Tails of ids are base64url without padding. */
export const formatRevocations = (document: RevocationDocument): string => {
  const { iss, epoch, now } = document
  if (document.kind === 'snapshot') {
    const { position, segments } = document
    return JSON.stringify({ iss, epoch, now, position, segments })
  }
  const { from, to, ended, cutOffs } = document
  const tails = ended.map(([exp, bytes]): [string, string] => [String(exp), Buffer.from(bytes).toString('base64url')])
  return JSON.stringify({ iss, epoch, now, from, to, ended: Object.fromEntries(tails), cut_offs: cutOffs })
}
