// Cases of the conformance table: a token that was got for another one is as dead as any of its ancestors.
import {
  type Case,
  CLAIMS,
  changes,
  cutOff,
  digest,
  EXP,
  joinTails,
  makeId,
  type Members,
  NOTHING_YET,
  NOW,
  TAIL,
  type TokenStep,
  token,
  UNTIL,
  type Verdict,
  withCutOffs,
} from './case.ts'

const PARENT_TAIL = '91f0a0b0c0d0e0f0'
const ROOT_TAIL = '82e1000000000001'

const PARENT = {
  id: makeId(NOW - 20, PARENT_TAIL),
  exp: EXP + 20,
  seq: 890,
  agent_id: 'parent',
  credential_id: 'credential-p',
  kid: 'key-p',
}
const ROOT = {
  id: makeId(NOW - 40, ROOT_TAIL),
  exp: EXP + 40,
  seq: 880,
  agent_id: 'root',
  credential_id: 'credential-r',
  kid: 'key-r',
}
const LINEAGE: readonly Members[] = [PARENT, ROOT]

/** The token of an agent that it got for its parent's, which that got for the root's. */
const child = (verdict: Verdict, claims: Members = {}): TokenStep => token(verdict, { lineage: LINEAGE, ...claims })
const withRoot = (members: Members): Members => ({ lineage: [PARENT, { ...ROOT, ...members }] })
const withParent = (members: Members): Members => ({ lineage: [{ ...PARENT, ...members }, ROOT] })

const ended = (exp: number, tail: string) => [NOTHING_YET, changes([0, 1], { ended: { [exp]: joinTails(tail) } }, 1)]

const ONE_BY_ONE: readonly Case[] = [
  { name: 'a token whose ancestors live, lives', steps: [NOTHING_YET, child('live')] },
  {
    name: 'the end of the parent ends the token, under the parent’s exp',
    steps: [...ended(PARENT.exp, PARENT_TAIL), child('ended'), child('live', withParent({ exp: EXP })), token('live')],
  },
  {
    name: 'the end of the root ends the token, under the root’s exp',
    steps: [...ended(ROOT.exp, ROOT_TAIL), child('ended'), child('live', withRoot({ exp: EXP })), token('live')],
  },
  { name: 'the end of the token itself ends it', steps: [...ended(EXP, TAIL), child('ended')] },
  {
    name: 'the end of an ancestor under the token’s exp is that of another token',
    steps: [...ended(EXP, PARENT_TAIL), child('live')],
  },
  {
    name: 'the last of eight ancestors is compared too',
    steps: [
      ...ended(ROOT.exp, ROOT_TAIL),
      child('ended', { lineage: [PARENT, PARENT, PARENT, PARENT, PARENT, PARENT, PARENT, ROOT] }),
    ],
  },
]

/** A cut-off that covers the root by itself, with a number between those of root and parent. */
const coversRoot = (name: string, members: Members, other: Members): Case => ({
  name: `a cut-off with ${name} is compared with an ancestor`,
  steps: [
    ...withCutOffs(cutOff({ seq: 881, ...members })),
    child('ended'),
    child('live', withRoot({ seq: 881 })),
    child('live', withRoot(other)),
    token('live'),
  ],
})

const CUT_OFFS: readonly Case[] = [
  coversRoot('agent', { agent: digest('root') }, { agent_id: 'nobody' }),
  coversRoot('agents', { agents: [digest('nobody'), digest('root')] }, { agent_id: 'somebody' }),
  coversRoot('credential', { credential: digest('credential-r') }, { credential_id: 'nothing' }),
  coversRoot('key', { key: digest('key-r') }, { kid: 'nothing' }),
  coversRoot('before', { before: NOW - 39 }, { id: makeId(NOW - 39, ROOT_TAIL) }),
  ...[{ subject: digest('staff:alice') }, { issuer: digest('staff') }].map(condition => ({
    name: `a cut-off with ${Object.keys(condition).join('')} finds in an ancestor the sub of the token`,
    steps: [
      ...withCutOffs(cutOff({ seq: 881, ...condition })),
      child('ended', { sub: 'staff:alice' }),
      child('live', { sub: 'other:alice' }),
      child('live', { ...withRoot({ seq: 881 }), sub: 'staff:alice' }),
      child('live', { ...withRoot({ sub: 'staff:alice' }), sub: 'other:alice' }),
    ],
  })),
  {
    name: 'a cut-off without conditions ends the token of an ancestor with a smaller seq',
    steps: [...withCutOffs(cutOff({ seq: 881 })), child('ended'), child('live', withRoot({ seq: 881 })), token('live')],
  },
  {
    name: 'root ends every token of the lineage, and is compared with each by its own number',
    steps: [
      ...withCutOffs(cutOff({ root: joinTails(ROOT_TAIL) })),
      child('ended'),
      child('ended', { lineage: [ROOT] }),
      child('live', { seq: 902, lineage: LINEAGE.map(member => ({ ...member, seq: 902 })) }),
      child('ended', { seq: 902 }),
      child('live', { lineage: [ROOT, PARENT] }),
      token('live'),
    ],
  },
  {
    name: 'from_another looks from an ancestor to the one that follows it',
    steps: [
      ...withCutOffs(cutOff({ agent: digest('parent'), from_another: true })),
      child('ended'),
      child('live', withRoot({ agent_id: 'parent' })),
      child('live', { lineage: [PARENT] }),
    ],
  },
  {
    name: 'the root of a lineage came from nobody',
    steps: [...withCutOffs(cutOff({ agent: digest('root'), from_another: true })), child('live')],
  },
  {
    name: 'a cut-off with an unknown member makes a token be asked for whose ancestor it may cover',
    steps: [
      ...withCutOffs(cutOff({ seq: 881, until: ROOT.exp, planet: 'mars' })),
      child('ask'),
      child('live', withRoot({ exp: ROOT.exp + 1 })),
      child('live', withRoot({ seq: 881 })),
      token('live'),
    ],
  },
  {
    name: 'opened makes a token be asked for whose ancestor has a smaller seq',
    steps: [...withCutOffs(cutOff({ seq: 881, opened: true })), child('ask'), child('live', withRoot({ seq: 881 }))],
  },
]

/** Conditions that nobody can compare with an ancestor; they do not hold for the token itself. */
const unclear = (name: string, condition: Members): Case => ({
  name: `${name} cannot be compared with an ancestor`,
  steps: [
    ...withCutOffs(cutOff({ agent: digest('root'), ...condition })),
    child('ask'),
    child('live', withRoot({ agent_id: 'nobody' })),
    child('live', withRoot({ seq: 902 })),
    token('live'),
    token('live', { sub: 'root' }),
  ],
})

const UNCLEAR: readonly Case[] = [
  unclear('scope', { scope: 'files:*' }),
  unclear('keep_scopes', { keep_scopes: ['*'] }),
  unclear('audience', { audience: digest('https://mail.example') }),
  unclear('keep_audiences', { keep_audiences: [digest(CLAIMS.aud)] }),
  {
    name: 'the end of another ancestor outweighs the doubt of one',
    steps: [
      ...withCutOffs(cutOff({ scope: 'files:*' }), { seq: 890, until: UNTIL, agent: digest('root') }),
      child('ended'),
      child('ask', withRoot({ agent_id: 'nobody' })),
    ],
  },
  {
    name: 'an ancestor without a member that is compared makes its token be asked for',
    steps: [
      ...withCutOffs(cutOff({ agent: digest('x') }), cutOff({ credential: digest('y') })),
      child('live'),
      child('ask', withRoot({ agent_id: undefined })),
      child('ask', withRoot({ credential_id: undefined })),
      child('ask', withRoot({ id: undefined })),
      child('ask', withRoot({ exp: undefined })),
      child('live', withParent({ kid: undefined })),
    ],
  },
  {
    name: 'an ancestor without a seq makes its token be asked for where the conditions of a cut-off hold for it',
    steps: [
      ...withCutOffs(cutOff({ seq: 850, agent: digest('root') })),
      child('live'),
      child('ask', withRoot({ seq: undefined })),
      child('live', withParent({ seq: undefined })),
    ],
  },
  {
    name: 'a lineage that cannot be read makes its token be asked for',
    steps: [
      ...withCutOffs(cutOff({ agent: digest('x') })),
      child('ask', { lineage: null }),
      child('ask', { lineage: {} }),
      child('ask', { lineage: 'root' }),
      child('ask', { lineage: [null] }),
      child('ask', { lineage: [PARENT, 7] }),
      child('ask', { lineage: [] }),
    ],
  },
]

export const ANCESTOR_CASES: readonly Case[] = [...ONE_BY_ONE, ...CUT_OFFS, ...UNCLEAR]
