// What four readers ask, as they type it into the search of the site, and the pages of which one must be among the first three results.

export type Question = { readonly words: string; readonly pages: readonly string[] }

const AGENT: readonly Question[] = [
  { words: 'how do I get a token', pages: ['agents/quickstart', 'agents/typescript', 'agents/authenticate'] },
  { words: 'get a token in Python', pages: ['agents/python'] },
  { words: 'get a token without a secret', pages: ['agents/authenticate', 'agents/workload-identity'] },
  { words: 'Kubernetes service account', pages: ['agents/workload-identity'] },
  { words: 'GitHub Actions', pages: ['agents/workload-identity'] },
  { words: 'private_key_jwt', pages: ['agents/authenticate', 'agents/typescript'] },
  { words: 'DPoP', pages: ['agents/bound-tokens'] },
  { words: 'act for another agent', pages: ['agents/delegation', 'start/concepts'] },
  { words: 'what does invalid_client mean', pages: ['reference/errors'] },
  { words: 'MCP client', pages: ['agents/mcp', 'apis/mcp-server'] },
  { words: 'npm install', pages: ['start/get-mintmark', 'agents/typescript', 'apis/verify-node'] },
]

const API: readonly Question[] = [
  {
    words: 'verify a token in my API',
    pages: ['apis/verify-node', 'apis/verify-python', 'apis/verify-go', 'apis/verify-java'],
  },
  { words: 'verify in Python', pages: ['apis/verify-python'] },
  { words: 'FastAPI', pages: ['apis/verify-python'] },
  { words: 'verify in Go', pages: ['apis/verify-go'] },
  { words: 'Spring Boot', pages: ['apis/verify-java'] },
  { words: 'Express', pages: ['apis/verify-node', 'apis/verify-package'] },
  { words: 'nginx', pages: ['apis/gateway', 'run/tls-and-proxies'] },
  { words: 'verify offline', pages: ['apis/offline'] },
  { words: 'how soon is a revoked token refused', pages: ['apis/choose', 'apis/introspect', 'start/concepts'] },
  { words: 'MCP server in TypeScript', pages: ['apis/mcp-server', 'agents/mcp'] },
]

const OPERATOR: readonly Question[] = [
  { words: 'install on Kubernetes', pages: ['run/kubernetes'] },
  { words: 'docker compose', pages: ['run/containers'] },
  { words: 'upgrade', pages: ['run/upgrade'] },
  { words: 'restore a backup', pages: ['run/backup-and-restore'] },
  { words: 'run on PostgreSQL', pages: ['run/postgresql', 'run/move-to-postgresql'] },
  { words: 'operators get 401', pages: ['run/troubleshooting', 'run/operators-sign-in'] },
  { words: 'MintmarkSlow', pages: ['run/runbook', 'reference/alerts'] },
  { words: 'prometheus alerts', pages: ['reference/alerts', 'run/health-logs-traces', 'run/runbook'] },
  { words: 'send events to a SIEM', pages: ['run/siem'] },
  { words: 'agents in files', pages: ['manage/files'] },
  { words: 'Argo CD', pages: ['manage/files'] },
  { words: 'before I go live', pages: ['run/go-live'] },
]

const SECURITY: readonly Question[] = [
  {
    words: 'revoke a token',
    pages: ['manage/tokens', 'manage/revocations', 'reference/operations/tokens', 'reference/operations/oauth'],
  },
  { words: 'stop an agent now', pages: ['manage/incidents', 'manage/agents'] },
  { words: 'a secret leaked', pages: ['manage/leaked-secrets', 'manage/incidents'] },
  { words: 'a signing key leaked', pages: ['run/keys', 'manage/incidents'] },
  {
    words: 'rotate a client secret',
    pages: ['manage/credentials', 'reference/commands', 'reference/operations/credentials'],
  },
  { words: 'why did this token end', pages: ['reference/termination-reasons', 'manage/tokens'] },
  { words: 'tenants', pages: ['start/what-it-does-not-do'] },
  { words: 'Terraform', pages: ['start/what-it-does-not-do'] },
  { words: 'webhooks', pages: ['start/what-it-does-not-do'] },
  { words: 'personal data', pages: ['security/data-and-keys'] },
]

export const QUESTIONS: readonly Question[] = [...AGENT, ...API, ...OPERATOR, ...SECURITY]
