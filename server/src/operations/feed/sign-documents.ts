// Signs documents of the revocation feed by the key that signs tokens, all at once.
import { KEY_MARGIN_SECONDS } from '../../domain/keys/key-life.ts'
import type { ChangesDocument, SnapshotDocument } from '../../domain/ledger/revocation-document.ts'
import type { SigningKey } from '../../domain/keys/signing-key.ts'
import type { Ports } from '../../ports/ports.ts'

export type SigningPorts = Pick<Ports, 'agents' | 'codec' | 'profile'>

/**
 * How long a document may be kept, here or by a caller. A key is published for longer after it signed last, however short its
 * tokens live: so none that is kept has a signature that nobody can verify.
 */
export const SIGNATURE_KEPT_SECONDS = KEY_MARGIN_SECONDS

type Unsigned = Omit<ChangesDocument, 'iss'> | Omit<SnapshotDocument, 'iss'>

/** The key of tokens: that of a view which is asked for no client. */
export const readSigningKey = async ({ agents }: Pick<Ports, 'agents'>): Promise<SigningKey> =>
  (await agents.viewForIssue([], 'cached')).signingKey

/** Signs each by this key, in order: compact JWS. */
export const signDocumentsBy = (
  signingKey: SigningKey,
  { codec, profile }: Pick<Ports, 'codec' | 'profile'>,
  documents: readonly Unsigned[],
): readonly string[] =>
  codec.signRevocations(
    documents.map(each => ({ iss: profile.issuer, ...each })),
    signingKey,
  )

/** Signs each by the key that signs now, in order. */
export const signDocuments = async (ports: SigningPorts, documents: readonly Unsigned[]): Promise<readonly string[]> =>
  documents.length === 0 ? [] : signDocumentsBy(await readSigningKey(ports), ports, documents)
