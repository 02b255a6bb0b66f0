// The contents of the documentation site: a door for each role, and its pages by their names below docs/, without `.md`. A page of
// docs/ that no door names is a fault of the build, but for records of decisions and what is for people who change the program.

export type Section = { readonly title: string; readonly pages: readonly string[] }

export type Door = {
  readonly title: string
  readonly details: string
  readonly sections: readonly Section[]
}

export const DOORS: readonly Door[] = [
  {
    title: 'I write an agent',
    details: 'Get tokens with a secret, a key, a certificate or a platform identity, and use them.',
    sections: [
      { title: 'Start', pages: ['quickstart', 'get-mintmark', 'clients', 'client-authentication', 'delegation'] },
      { title: 'Bind tokens to a key', pages: ['dpop', 'client-certificates'] },
      {
        title: 'Recipes',
        pages: ['recipes/mcp-typescript', 'recipes/mcp-python', 'recipes/mcp-go', 'recipes/mcp-delegation'],
      },
    ],
  },
  {
    title: 'I own an API',
    details: 'Accept tokens, check them online or offline, and see revocations at once.',
    sections: [
      { title: 'Start', pages: ['tutorial-mcp-server', 'resource-servers', 'revocation-feed', 'interop'] },
      { title: 'Libraries', pages: ['recipes/python', 'recipes/go', 'recipes/spring', 'recipes/nimbus'] },
      { title: 'Gateways', pages: ['recipes/gateway'] },
      { title: 'Follow the feed', pages: ['recipes/follow-in-python', 'recipes/follow-in-go'] },
    ],
  },
  {
    title: 'I operate it',
    details: 'Install, configure, watch, back up and upgrade the service.',
    sections: [
      {
        title: 'Set up',
        pages: [
          'operating',
          'operating/start-and-stop',
          'operating/settings',
          'operating/identity-providers',
          'operating/tls-and-proxies',
          'operating/embedded-store',
          'operating/postgresql',
          'operating/moving-to-postgresql',
          'operating/scale',
        ],
      },
      {
        title: 'Come from elsewhere',
        pages: ['operating/from-hydra', 'operating/from-keycloak', 'operating/from-auth0'],
      },
      {
        title: 'Run',
        pages: [
          'operating/command-line',
          'console',
          'operating/operator-stories',
          'operating/keys',
          'operating/backup-and-restore',
          'operating/upgrades',
        ],
      },
      {
        title: 'Administer',
        pages: [
          'administration',
          'administration/agents',
          'administration/credentials',
          'administration/imports',
          'administration/api-keys',
          'administration/signing-keys',
          'administration/tokens',
          'administration/revocations',
          'administration/leaked-secrets',
          'administration/usage',
          'administration/settings',
          'administration/audit-log',
          'administration/exports',
        ],
      },
      {
        title: 'Watch',
        pages: [
          'doctor',
          'operating/monitoring',
          'metrics',
          'logs',
          'runbook',
          'operating/overload',
          'operating/clock',
          'operating/postgresql-failures',
        ],
      },
    ],
  },
  {
    title: 'I secure it',
    details: 'What it promises, what an attacker can do, who may do what, and how it is stored.',
    sections: [
      {
        title: 'Judge it',
        pages: ['security/threat-model', 'security/promises', 'administration/access', 'limits', 'divergences'],
      },
      {
        title: 'Held against standards',
        pages: [
          'security/asvs',
          'security/asvs-application',
          'security/asvs-operation',
          'security/rfc-9700',
          'security/rfc-8725',
        ],
      },
      { title: 'How it is stored', pages: ['storage'] },
    ],
  },
]

/** Pages made from the code: `npm run reference` writes those of docs/reference/, the build those of the operations. */
export const REFERENCE: Section = {
  title: 'Reference',
  pages: [
    'errors',
    'reference/operations',
    'reference/commands',
    'reference/permissions',
    'reference/termination-reasons',
    'reference/background-tasks',
  ],
}

/** They are linked from other pages and stand in no list. */
export const UNLISTED = ['decisions/', 'development/']
