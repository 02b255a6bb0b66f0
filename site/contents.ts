// The contents of the documentation site: a door for each role, and its pages by their names below docs/, without `.md`. A page of
// docs/ that no door names is a fault of the build, but for records of decisions and what is for people who change the program.

export type Section = { readonly title: string; readonly pages: readonly string[] }

export type Door = {
  readonly title: string
  readonly details: string
  readonly sections: readonly Section[]
}

/** Pages of the site that lie elsewhere in the repository, where people look for them. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  'agents/client-package': 'packages/client/README.md',
  'apis/verify-package': 'packages/verify/README.md',
  'apis/gateway-process': 'packages/gateway/README.md',
  'security/promises': 'SECURITY.md',
  'start/changes': 'CHANGELOG.md',
}

const START: Door = {
  title: 'Start',
  details: 'What Mintmark is, what it does not do, and how to get it.',
  sections: [
    {
      title: 'Start',
      pages: ['start/concepts', 'start/what-it-does-not-do', 'start/get-mintmark', 'start/changes'],
    },
  ],
}

const AGENTS: Door = {
  title: 'Build an agent',
  details: '1. Get a token (2 minutes). 2. Choose a credential. 3. Run it in production.',
  sections: [
    {
      title: 'Get a token',
      pages: ['agents/quickstart', 'agents/typescript', 'agents/client-package', 'agents/python', 'agents/mcp'],
    },
    {
      title: 'Choose a credential',
      pages: [
        'agents/authenticate',
        'agents/workload-identity',
        'agents/bound-tokens',
        'agents/delegation',
        'agents/on-behalf',
      ],
    },
  ],
}

const APIS: Door = {
  title: 'Protect an API',
  details: '1. Protect a route (5 minutes). 2. See revocations at once. 3. Choose how to check.',
  sections: [
    {
      title: 'Verify tokens',
      pages: [
        'apis/verify-node',
        'apis/verify-python',
        'apis/verify-go',
        'apis/verify-java',
        'apis/mcp-server',
        'apis/gateway',
      ],
    },
    { title: 'Choose how', pages: ['apis/choose', 'apis/introspect', 'apis/offline', 'apis/libraries'] },
    { title: 'Options and protocol', pages: ['apis/verify-package', 'apis/gateway-process', 'apis/feed-protocol'] },
  ],
}

const RUN: Door = {
  title: 'Run the service',
  details: '1. Install (10 minutes). 2. Let operators sign in. 3. Go live. 4. Watch. 5. Fix.',
  sections: [
    { title: 'Install', pages: ['run/overview', 'run/linux', 'run/kubernetes', 'run/containers', 'run/go-live'] },
    {
      title: 'Configure',
      pages: [
        'run/configure',
        'run/operators-sign-in',
        'run/tls-and-proxies',
        'run/embedded-store',
        'run/postgresql',
        'run/high-availability',
      ],
    },
    {
      title: 'Operate',
      pages: [
        'run/health-logs-traces',
        'run/siem',
        'run/backup-and-restore',
        'run/upgrade',
        'run/start-and-stop',
        'run/keys',
        'run/capacity',
        'run/clock',
      ],
    },
    { title: 'Fix', pages: ['run/troubleshooting', 'run/doctor', 'run/runbook', 'run/overload'] },
    {
      title: 'Move here',
      pages: ['run/from-hydra', 'run/from-keycloak', 'run/from-auth0', 'run/move-to-postgresql'],
    },
  ],
}

const MANAGE: Door = {
  title: 'Manage agents and tokens',
  details: 'Create agents, see every live token, end tokens now, and say later what happened.',
  sections: [
    {
      title: 'Manage',
      pages: ['manage/overview', 'manage/console', 'manage/command-line', 'manage/incidents'],
    },
    {
      title: 'Agents',
      pages: [
        'manage/agents',
        'manage/files',
        'manage/credentials',
        'manage/imports',
        'manage/issuers',
        'manage/issuer-recipes',
      ],
    },
    { title: 'Tokens', pages: ['manage/tokens', 'manage/revocations', 'manage/leaked-secrets', 'manage/usage'] },
    { title: 'Records', pages: ['manage/audit-log', 'manage/exports'] },
  ],
}

const SECURITY: Door = {
  title: 'Security and audit',
  details: 'What it promises, what an attacker can do, who may do what, and where data and keys lie.',
  sections: [
    {
      title: 'Judge it',
      pages: [
        'security/promises',
        'security/threat-model',
        'security/data-and-keys',
        'security/permissions',
        'security/limits',
      ],
    },
    {
      title: 'Check it against standards',
      pages: ['statement', 'security/standards', 'security/divergences', 'security/stability'],
    },
  ],
}

export const DOORS: readonly Door[] = [START, AGENTS, APIS, RUN, MANAGE, SECURITY]

/** Pages made from the code: `npm run reference` writes those of docs/reference/, the build those of the operations. */
export const REFERENCE: Section = {
  title: 'Reference',
  pages: [
    'reference/operations',
    'reference/errors',
    'reference/settings',
    'reference/commands',
    'reference/limits',
    'reference/permissions',
    'reference/termination-reasons',
    'reference/audit-kinds',
    'reference/export-columns',
    'reference/metrics',
    'reference/alerts',
    'reference/log-events',
    'reference/doctor-checks',
    'reference/background-tasks',
    'reference/not-met',
    'reference/promises',
    'reference/asvs',
    'reference/asvs-application',
    'reference/asvs-operation',
    'reference/rfc-9700',
    'reference/rfc-8725',
    'reference/odis',
    'reference/aims',
  ],
}

/** They are linked from other pages and stand in no list. */
export const UNLISTED = ['decisions/', 'development/']
