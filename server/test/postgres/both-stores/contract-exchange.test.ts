// Token exchange on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'

await runOnPostgres(
  ['contract/oauth', ['exchange-tokens', 'exchange-refusals', 'exchange-ends', 'exchange-races', 'delegation-page']],
  ['contract/oauth', ['exchange-limits', 'lineage-reach']],
  ['contract/clients', ['exchange-clients']],
  ['contract/admin', ['delegation-settings', 'show-delegation']],
)
