// What newcomers ask, as they type it into the search of the site, and the pages of which one must be among the first three results.

export type Question = { readonly words: string; readonly pages: readonly string[] }

export const QUESTIONS: readonly Question[] = [
  { words: 'how do I get a token', pages: ['quickstart', 'clients', 'client-authentication'] },
  {
    words: 'revoke a token',
    pages: [
      'quickstart',
      'administration/tokens',
      'administration/revocations',
      'reference/operations/tokens',
      'reference/operations/oauth',
    ],
  },
  { words: 'verify a token in my API', pages: ['resource-servers', 'tutorial-mcp-server'] },
  { words: 'MCP server in TypeScript', pages: ['tutorial-mcp-server', 'recipes/mcp-typescript'] },
  {
    words: 'rotate a client secret',
    pages: ['administration/credentials', 'reference/commands', 'reference/operations/credentials'],
  },
  { words: 'restore a backup', pages: ['operating/backup-and-restore'] },
  { words: 'run on PostgreSQL', pages: ['operating/postgresql', 'operating/moving-to-postgresql'] },
  { words: 'what does invalid_client mean', pages: ['errors'] },
  { words: 'a signing key leaked', pages: ['operating/keys', 'administration/signing-keys'] },
  { words: 'prometheus alerts', pages: ['metrics', 'runbook'] },
]
