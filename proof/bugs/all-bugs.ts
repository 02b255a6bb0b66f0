// Every seeded bug.
import { ACCESS } from './access.ts'
import { DELEGATION } from './delegation.ts'
import { DURABILITY } from './durability.ts'
import { EDGES } from './edges.ts'
import { ENDINGS } from './endings.ts'
import { FEED } from './feed.ts'
import { GATEWAY } from './gateway.ts'
import { LEAVERS } from './leavers.ts'
import { LIMITS } from './limits.ts'
import { PRINCIPALS } from './principals.ts'
import { REVOCATION } from './revocation.ts'
import type { SeededBug } from './seeded-bug.ts'
import { TOKENS } from './tokens.ts'

export const ALL_BUGS: readonly SeededBug[] = [
  ...REVOCATION,
  ...ENDINGS,
  ...DURABILITY,
  ...DELEGATION,
  ...PRINCIPALS,
  ...LEAVERS,
  ...LIMITS,
  ...TOKENS,
  ...ACCESS,
  ...FEED,
  ...GATEWAY,
  ...EDGES,
]
