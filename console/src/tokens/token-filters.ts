// What lists of tokens can be filtered by.
import { REASONS } from '../../../api/values/reason.ts'
import type { Filter } from '../lists/chips.tsx'
import { FORMS } from '../lists/filter-forms.ts'

export const TOKEN_FILTERS: readonly Filter[] = [
  { name: 'agent_id', title: 'Agent', hint: 'any part of its name', isAgent: true },
  { name: 'agent_name', title: 'Agent name', hint: 'the whole name' },
  { name: 'owner', title: 'Owner', hint: 'Ada' },
  { name: 'label', title: 'Label', hint: FORMS.label.example, form: 'label' },
  { name: 'client_id', title: 'Client', hint: 'id of a client' },
  { name: 'scope', title: 'Scope', hint: FORMS.scope.example, form: 'scope' },
  { name: 'audience', title: 'Audience', hint: 'https://orders.example' },
  { name: 'credential_id', title: 'Credential', hint: 'id of a credential', form: 'id' },
  { name: 'kid', title: 'Signing key', hint: 'kid of a key' },
  { name: 'subject', title: 'On behalf of', hint: 'agent by name, or ALIAS:SUB', isAgent: 'or_subject' },
  { name: 'parent_id', title: 'Got for token', hint: 'id of a token', form: 'id' },
  { name: 'root_id', title: 'Descends from', hint: 'id of a token', form: 'id' },
  { name: 'issued_after', title: 'Issued after', hint: FORMS.time.example, form: 'time' },
  { name: 'issued_before', title: 'Issued before', hint: FORMS.time.example, form: 'time' },
]

export const HISTORY_FILTERS: readonly Filter[] = [
  { name: 'termination_reason', title: 'Reason', hint: '', choices: Object.keys(REASONS) },
  { name: 'ended_by', title: 'Ended by', hint: 'sub of an operator, or an id' },
  { name: 'revocation_id', title: 'Revocation', hint: 'id of a revocation', form: 'id' },
  { name: 'ended_after', title: 'Ended after', hint: FORMS.time.example, form: 'time' },
  { name: 'ended_before', title: 'Ended before', hint: FORMS.time.example, form: 'time' },
  ...TOKEN_FILTERS,
]
