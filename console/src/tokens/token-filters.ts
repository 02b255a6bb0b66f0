// What lists of tokens can be filtered by.
import { REASONS } from '../../../api/values/reason.ts'
import type { Filter } from '../parts/chips.tsx'

export const TOKEN_FILTERS: readonly Filter[] = [
  { name: 'agent_id', title: 'Agent', hint: 'id of an agent', isAgent: true },
  { name: 'client_id', title: 'Client', hint: 'id of a client' },
  { name: 'scope', title: 'Scope', hint: 'payments:read' },
  { name: 'subject', title: 'On behalf of', hint: 'id of an agent', isAgent: true },
  { name: 'parent_id', title: 'Got for token', hint: 'id of a token' },
  { name: 'root_id', title: 'Descends from', hint: 'id of a token' },
  { name: 'issued_after', title: 'Issued after', hint: '2026-11-22T12:00:00Z' },
  { name: 'issued_before', title: 'Issued before', hint: '2026-11-22T12:00:00Z' },
]

export const HISTORY_FILTERS: readonly Filter[] = [
  { name: 'termination_reason', title: 'Reason', hint: '', choices: Object.keys(REASONS) },
  { name: 'ended_by', title: 'Ended by', hint: 'sub of an operator, or an id' },
  { name: 'revocation_id', title: 'Revocation', hint: 'id of a revocation' },
  { name: 'ended_after', title: 'Ended after', hint: '2026-11-22T12:00:00Z' },
  { name: 'ended_before', title: 'Ended before', hint: '2026-11-22T12:00:00Z' },
  ...TOKEN_FILTERS,
]
