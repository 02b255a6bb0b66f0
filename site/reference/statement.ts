// docs/statement.md: what two drafts about agents ask, counted, and figures as the commands that measure them have recorded them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { STANDARDS, type Standard } from './standards.ts'

const RESULTS = readFileSync(join(import.meta.dirname, '../../proof/bench/RESULTS.md'), 'utf8')

/** A subject of RESULTS.md: its facts, a line each, and its tables. */
const resultOf = (title: string): { readonly facts: ReadonlyMap<string, string>; readonly tables: string } => {
  const section = RESULTS.split(/\n(?=## )/).find(text =>
    [`## ${title}\n`, `## ${title}, `].some(head => text.startsWith(head)),
  )
  if (section === undefined)
    throw new Error(`proof/bench/RESULTS.md has no section ${title}: run its command with --record.`)
  const lines = section.split('\n').slice(1)
  const facts = lines.flatMap(line => {
    const [, name = '', value = ''] = /^- ([a-z ]{1,40}): (.*)$/.exec(line) ?? []
    return name === '' ? [] : [[name, value] as const]
  })
  return {
    facts: new Map(facts),
    tables: lines
      .filter(line => !line.startsWith('- '))
      .join('\n')
      .trim(),
  }
}

type Figures = { readonly title: string; readonly result: string; readonly command: string; readonly says: string }

const FIGURES: readonly Figures[] = [
  {
    title: 'How soon a revoked token is refused',
    result: 'Latency',
    command: 'npm run proof latency -- --record',
    says: 'From the response to the revocation until an API that looks every millisecond refuses the token, one token after another.',
  },
  {
    title: 'What a request costs',
    result: 'Bench',
    command: 'npm run proof bench -- --record',
    says: 'Processor time of the serving process for each request, beside a bare server and node-oidc-provider, in one run.',
  },
  {
    title: 'Fail-over of the database',
    result: 'Outage',
    command: 'npm run proof outage -- --record',
    says: 'Two replicas on three nodes of PostgreSQL under Patroni with a `ttl` of 6 s, the least that it takes; by default it is 30 s, and a dead primary is replaced in 20 to 40 s. Meanwhile callers get 503, and no live token was called inactive.',
  },
  {
    title: 'Rolling restart and upgrade',
    result: 'Rolling',
    command: 'npm run proof rolling -- --record',
    says: 'Two replicas on PostgreSQL behind HAProxy are restarted under load, then again over the schemas of later versions.',
  },
]

/** Where another service documents a figure of its own. */
const OTHERS = [
  [
    'Apigee',
    'a revoked token is accepted for up to 180 s: tokens are cached',
    'https://cloud.google.com/apigee/docs/api-platform/security/oauth/validating-and-invalidating-access-tokens',
  ],
  [
    'Microsoft Entra',
    'up to 15 minutes until critical events reach APIs',
    'https://learn.microsoft.com/en-us/entra/identity/conditional-access/concept-continuous-access-evaluation',
  ],
  [
    'Keycloak',
    'a stopping node drains for 30 s behind a TCP balancer in its guides, and for 1 s by default (Mintmark: 5 s)',
    'https://www.keycloak.org/server/haproxy-passthrough',
  ],
] as const

const SHOWN = ['machine', 'system', 'commit', 'time'] as const

const figuresOf = ({ title, result, command, says }: Figures): string => {
  const { facts, tables } = resultOf(result)
  const about = SHOWN.flatMap(name => (facts.has(name) ? [`- ${name}: ${facts.get(name)}`] : []))
  return [`## ${title}`, says, tables, [`- command: \`${command}\``, ...about].join('\n')].join('\n\n')
}

const ASKED: Readonly<Record<string, string>> = {
  odis: 'CoSAI, Open Delegation & Identity Standard',
  aims: 'IETF, draft-ietf-wimse-aims',
}

const MET = ['yes', 'partly', 'chosen', 'operator', 'no', 'n/a'] as const

const countsOf = ({ id, sections }: Standard): string => {
  const rows = sections.flatMap(section => section.rows)
  const counts = MET.map(met => rows.filter(row => row.met === met).length)
  return `| [${ASKED[id]}](reference/${id}.md) | ${[rows.length, ...counts].join(' | ')} |`
}

/** The page, in Markdown. */
export const writeStatement = (): string => {
  const standards = STANDARDS.filter(({ id }) => Object.hasOwn(ASKED, id))
  return `# Statement

For those who choose a token service for agents: what drafts about agents ask, and figures, each with the command that repeats it.

## What drafts ask

| draft | requirements | ${MET.join(' | ')} |
|---|---|${MET.map(() => '---|').join('')}
${standards.map(countsOf).join('\n')}

Each row says what meets it, and names the tests. No profile of ODIS is claimed. [Check Mintmark against standards](security/standards.md#the-tables) says what the words mean.

${FIGURES.map(figuresOf).join('\n\n')}

## What others document

Bounds that others document; the figures above were measured on one idle machine, and are no bounds.

| service | figure |
|---|---|
${OTHERS.map(([name, figure, source]) => `| ${name} | [${figure}](${source}) |`).join('\n')}

Next: [Check Mintmark against standards](security/standards.md)
`
}
