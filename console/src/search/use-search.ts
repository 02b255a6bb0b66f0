// What the header's search finds: agents by name or id, a token by its id.
import { useQuery } from '@tanstack/react-query'
import { addressOf } from '../address.ts'
import { OPEN } from '../parts/panel.tsx'
import { readPage } from '../reading/read-page.ts'
import { administration } from '../reading/service.ts'
import type { Sought } from './pasted-text.ts'

export type Found = {
  readonly address: string
  readonly kind: string
  readonly name: string
  readonly more: string
}

const AGENTS_SHOWN = 8

export const openAt = (screen: string, id: string): string => addressOf(screen, new URLSearchParams({ [OPEN]: id }))

export type Search = { readonly found: readonly Found[]; readonly isSettled: boolean }

export const useSearch = (sought: Sought): Search => {
  // The text of a token and a secret are no part of any address.
  const { name: asked, tokenId } = 'name' in sought ? sought : { name: '', tokenId: undefined }
  const isName = asked !== ''
  const { data, isPlaceholderData, isPending } = useQuery({
    queryKey: ['search', asked],
    queryFn: ({ signal }) =>
      readPage((cursor, aborted) =>
        administration.listAgents({ query: { q: asked, limit: AGENTS_SHOWN, cursor }, signal: aborted }),
      )(undefined, signal),
    enabled: isName,
    retry: false,
    placeholderData: kept => kept,
  })
  const agents = isName ? (data?.data ?? []) : []
  const found = [
    ...agents.map(({ agent_id: id, name, owner }) => ({
      address: openAt('agents', id),
      kind: 'Agent',
      name,
      more: owner ?? '',
    })),
    ...(tokenId === undefined ? [] : [{ address: openAt('tokens', tokenId), kind: 'Token', name: tokenId, more: '' }]),
  ]
  return { found, isSettled: !isName || !(isPending || isPlaceholderData) }
}
