// Cases of the conformance table: cut-offs whose members the follower does not know, or cannot read, and those of before the feed.
import {
  type Case,
  CLAIMS,
  changes,
  cutOff,
  digest,
  EXP,
  type Members,
  token,
  under,
  UNTIL,
  withCutOffs,
} from './case.ts'

const NOBODY = digest('nobody')
const { sub: AGENT } = CLAIMS

const unknown = (what: string, members: Members): Case => ({
  name: `a cut-off ${what} covers an unknown set of tokens up to until`,
  steps: [
    ...withCutOffs(cutOff({ until: EXP, ...members })),
    token('ask'),
    token('ask', { sub: 'nobody' }),
    token('ask', { exp: EXP - 1 }),
    token('live', { exp: EXP + 1 }),
    token('ask', { seq: 901 }),
    token('live', { seq: 902 }),
  ],
})

const UNKNOWN: readonly Case[] = [
  unknown('with an unknown member', { planet: 'mars' }),
  unknown('with an unknown member that is null', { planet: null }),
  unknown('with an unknown member beside one that does not hold', { agent: NOBODY, planet: 'mars' }),
  unknown('with a member in capitals', { Agent: NOBODY }),
  unknown('with a member of every object', { toString: NOBODY }),
  ...Object.entries({
    agent: [[NOBODY], null, 7],
    agents: [NOBODY, [7], { 0: NOBODY }, ['*']],
    subject: [7, [NOBODY], '*', `${NOBODY}x`],
    issuer: [null, ''],
    credential: [7],
    key: [null],
    scope: [null, ['*']],
    keep_scopes: ['*', [1]],
    audience: [true],
    keep_audiences: [NOBODY, [null], ['*']],
    before: ['0', -1, 0.5],
    root: [1],
    from_another: [false, 'true'],
    opened: [false, 'yes'],
  }).flatMap(([member, values]) =>
    values.map(value => {
      // Beside a condition that does not hold, and that is no `agent` where that is tried.
      const other = member === 'agent' ? { key: NOBODY } : { agent: NOBODY }
      return unknown(`whose ${member} is ${JSON.stringify(value)}`, { ...other, [member]: value })
    }),
  ),
]

const OPENED: readonly Case[] = [
  under(
    'opened makes tokens with a smaller seq be asked for',
    { opened: true },
    token('ask'),
    token('ask', { seq: 901 }),
    token('ask', { sub: 'nobody' }),
  ),
  under(
    'opened with a condition is about the tokens for which that holds',
    { opened: true, agent: NOBODY },
    token('live'),
  ),
  {
    name: 'a token that the feed was opened after has ended where another fact says so',
    steps: [
      ...withCutOffs(cutOff({ opened: true })),
      changes([1, 2], { cut_offs: [{ seq: 903, until: UNTIL, agent: digest(AGENT) }] }, 2),
      token('ended'),
      token('ended', { seq: 902 }),
      token('ask', { sub: 'nobody' }),
    ],
  },
]

export const UNKNOWN_CASES: readonly Case[] = [...UNKNOWN, ...OPENED]
