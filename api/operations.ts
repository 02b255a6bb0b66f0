// Every operation of the API.
import * as agents from './agents.ts'
import * as health from './health.ts'
import * as metadata from './metadata.ts'
import * as oauth from './oauth.ts'
import type { Operation } from './operation.ts'

const SUBJECTS = [oauth, metadata, health, agents]

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'route' in value && 'answers' in value

export const OPERATIONS: readonly Operation[] = SUBJECTS.flatMap(subject =>
  Object.values<unknown>(subject).filter(isOperation),
)
