// Lists signing keys, newest first, those that are gone too; their private halves are nowhere to be listed.
import type { Administrator } from '../../domain/caller.ts'
import type { ShownKey } from '../../domain/keys/key-record.ts'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import type { KeyPorts } from './show-signing-key.ts'
import { type KeysetRequest, type ListPage, readKeyset } from '../reading/read-page.ts'

/** One page of them. */
export const listSigningKeys = async (
  ports: KeyPorts & Pick<Ports, 'secrets'>,
  _caller: Administrator,
  request: KeysetRequest,
): Promise<OrRefusal<ListPage<ShownKey>>> => {
  const page = await readKeyset(ports, 'signing_keys', {
    request,
    boundTo: [],
    read: async (after, limit) => {
      const { keys, longest } = await ports.signingKeys.list(after === null ? null : Number(after), limit)
      const shown = { longest: Math.max(longest, ports.profile.lifetimeSeconds) }
      return keys.map(key => ({ ...shown, key, id: String(key.number) }))
    },
  })
  return isRefused(page) ? page : { ...page, records: page.records.map(({ key, longest }) => ({ key, longest })) }
}
