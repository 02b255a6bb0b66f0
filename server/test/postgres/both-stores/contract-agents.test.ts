// Agents, what they trust, and what the log says of it, on the wire, on PostgreSQL.
import { runOnPostgres } from '../../suites/run-files.ts'

await runOnPostgres(
  [
    'contract/admin',
    [
      'agents-input',
      'credential-trust',
      'list-agents',
      'terminal-caller',
      'refused-authentications',
      'list-audit',
      'kept-text',
      'agent-usage',
    ],
  ],
  ['contract/tokens', ['token-uses', 'late-uses', 'usage-series', 'expiring']],
  ['contract/wire', ['canaries']],
)
