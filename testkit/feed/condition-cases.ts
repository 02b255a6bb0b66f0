// Cases of the conformance table: every condition of a cut-off, where it holds, where not, and where nobody knows.
import {
  type Case,
  CLAIMS,
  cutOff,
  digest,
  EXP,
  HEADER,
  ISSUER,
  makeId,
  NOW,
  OTHER_TAIL,
  TAIL,
  token,
  under,
  withCutOffs,
} from './case.ts'

const NOBODY = digest('nobody')
const { sub: AGENT, client_id: CLIENT, credential_id: CREDENTIAL, aud: ORDERS } = CLAIMS
const MAIL = 'https://mail.example'
const PERSON = 'staff:alice:7'

const WHOSE: readonly Case[] = [
  under(
    'agent ends the tokens of one agent, by their sub',
    { agent: digest(AGENT) },
    token('ended'),
    token('live', { sub: 'nobody' }),
    token('live', { sub: 'nobody', client_id: AGENT }),
    token('ended', { client_id: undefined }),
    token('ask', { sub: undefined }),
    token('ask', { sub: 1 }),
  ),
  under(
    'agent ends the tokens that an agent got for those of others, by their outermost act.sub, and not those got for its own',
    { agent: digest(AGENT) },
    token('ended', { sub: 'nobody', act: { sub: AGENT } }),
    token('ended', { sub: 'nobody', act: { sub: AGENT, act: { sub: 'somebody' } } }),
    token('live', { act: { sub: 'nobody' } }),
    token('live', { act: { sub: 'nobody', act: { sub: AGENT } } }),
    token('ask', { act: {} }),
    token('ask', { act: null }),
    token('ask', { act: 'nobody' }),
    token('ask', { act: { sub: null, act: { sub: 'nobody' } } }),
  ),
  under(
    'the client_id of a token is not its agent',
    { agents: [digest(CLIENT)] },
    token('live'),
    token('ended', { sub: CLIENT }),
  ),
  under(
    'agents ends the tokens of each of some agents',
    { agents: [NOBODY, digest(AGENT)] },
    token('ended'),
    token('ended', { sub: 'nobody' }),
    token('live', { sub: 'somebody' }),
    token('ask', { sub: undefined }),
  ),
  under('agents without any ends nothing', { agents: [] }, token('live')),
  under(
    'subject ends the tokens with one sub, by any agent',
    { subject: digest(PERSON) },
    token('ended', { sub: PERSON }),
    token('ended', { sub: PERSON, act: { sub: AGENT } }),
    token('live', { sub: AGENT, act: { sub: PERSON } }),
    token('live', { sub: `${PERSON}x` }),
    token('live'),
    token('ask', { sub: undefined, act: { sub: AGENT } }),
    token('ask', { sub: 7, act: { sub: AGENT } }),
  ),
  under('subject may be an agent', { subject: digest(AGENT) }, token('ended'), token('live', { sub: PERSON })),
  under(
    'issuer ends the tokens whose sub begins with one alias and a colon',
    { issuer: digest('staff') },
    token('ended', { sub: PERSON, act: { sub: AGENT } }),
    token('ended', { sub: 'staff:', act: { sub: AGENT } }),
    token('live', { sub: 'staff', act: { sub: AGENT } }),
    token('live', { sub: 'staff2:alice:7', act: { sub: AGENT } }),
    token('live', { sub: 'other:staff:7', act: { sub: AGENT } }),
    token('live', { sub: 'Staff:alice', act: { sub: AGENT } }),
    token('live'),
    token('ask', { sub: undefined, act: { sub: AGENT } }),
  ),
  under(
    'issuer with the digest of a whole sub ends nothing',
    { issuer: digest(PERSON) },
    token('live', { sub: PERSON, act: { sub: AGENT } }),
  ),
  under(
    'credential ends the tokens of one credential',
    { credential: digest(CREDENTIAL) },
    token('ended'),
    token('live', { credential_id: 'credential-2' }),
    token('ask', { credential_id: undefined }),
    token('ask', { credential_id: 1 }),
  ),
  under(
    'key ends the tokens of one signing key, by the kid of their header',
    { key: digest(HEADER.kid) },
    token('ended'),
    token('live', {}, { kid: 'key-2' }),
    token('live', { kid: HEADER.kid }, { kid: 'key-2' }),
    token('ask', {}, { kid: undefined }),
  ),
  under(
    'a digest is of the UTF-8 text',
    { agent: digest('Straße 東京 😀') },
    token('ended', { sub: 'Straße 東京 😀' }),
    token('live', { sub: 'Strasse 東京 😀' }),
  ),
]

const WHAT_FOR: readonly Case[] = [
  under(
    'scope ends the tokens one of whose scope items it is',
    { scope: 'db:read' },
    token('ended'),
    token('ended', { scope: 'db:read' }),
    token('live', { scope: 'db:rea db:readonly xdb:read DB:read' }),
    token('ask', { scope: undefined }),
    token('ask', { scope: ['db:read'] }),
  ),
  under(
    'scope with a pattern of a resource ends the tokens with an item of that resource',
    { scope: 'db:*' },
    token('ended'),
    token('ended', { scope: 'mail:send db:x' }),
    token('live', { scope: 'dbx:read mail:db:' }),
  ),
  under(
    'scope with * ends the tokens of every scope',
    { scope: '*' },
    token('ended'),
    token('ended', { scope: 'x:y' }),
  ),
  under(
    'keep_scopes ends the tokens one of whose scope items matches no pattern that is kept',
    { keep_scopes: ['db:read', 'files:*'] },
    token('ended'),
    token('live', { scope: 'db:read' }),
    token('live', { scope: 'files:any db:read' }),
    token('ended', { scope: 'db:write' }),
    token('ended', { scope: 'db:read db:write files:x' }),
    token('ask', { scope: undefined }),
  ),
  under('keep_scopes with * ends nothing', { keep_scopes: ['*'] }, token('live')),
  under('keep_scopes without any ends every scope', { keep_scopes: [] }, token('ended')),
  under(
    'audience ends the tokens one of whose audiences it is',
    { audience: digest(ORDERS) },
    token('ended'),
    token('ended', { aud: [ORDERS] }),
    token('ended', { aud: [MAIL, ORDERS] }),
    token('live', { aud: MAIL }),
    token('live', { aud: [MAIL, `${ORDERS}/`] }),
    token('ask', { aud: undefined }),
    token('ask', { aud: { 0: ORDERS } }),
  ),
  under(
    'keep_audiences ends the tokens one of whose audiences is not kept',
    { keep_audiences: [digest(ORDERS), digest(ISSUER)] },
    token('live'),
    token('live', { aud: [ORDERS, ISSUER] }),
    token('ended', { aud: MAIL }),
    token('ended', { aud: [ORDERS, MAIL] }),
    token('ask', { aud: undefined }),
  ),
  under('keep_audiences without any ends every audience', { keep_audiences: [] }, token('ended')),
]

const WHEN: readonly Case[] = [
  under(
    'before ends the tokens that were issued before an instant, by the time in their jti',
    { before: NOW },
    token('live'),
    token('ended', { jti: makeId(NOW - 1, TAIL) }),
    token('live', { jti: makeId(NOW + 1, TAIL) }),
    token('live', { iat: 1 }),
    token('ask', { jti: 'x' }),
  ),
]

const LINEAGE = [
  {
    id: makeId(NOW - 2, OTHER_TAIL),
    exp: EXP,
    seq: 903,
    agent_id: 'parent',
    credential_id: 'credential-2',
    kid: 'key-2',
  },
]

const FAMILY: readonly Case[] = [
  under(
    'root ends the first token of a lineage itself',
    { root: 'obLD1OX2Bxg' },
    token('ended'),
    token('live', { jti: makeId(NOW, OTHER_TAIL) }),
    token('live', { lineage: LINEAGE }),
  ),
  under(
    'from_another ends the tokens that an agent got for another agent’s token',
    { agent: digest(AGENT), from_another: true },
    token('live'),
    token('ended', { lineage: LINEAGE }),
    token('live', { lineage: LINEAGE.map(parent => ({ ...parent, agent_id: AGENT })) }),
    token('live', { lineage: LINEAGE, sub: 'nobody' }),
    token('ended', { lineage: LINEAGE, sub: 'parent', act: { sub: AGENT } }),
    token('live', { lineage: LINEAGE, act: { sub: 'parent' } }),
  ),
  under(
    'from_another looks at the parent alone',
    { from_another: true },
    token('ended', { lineage: [...LINEAGE, { ...LINEAGE[0], agent_id: AGENT, seq: 1000 }] }),
    token('ask', { lineage: LINEAGE, sub: undefined }),
    token('ask', { lineage: LINEAGE.map(parent => ({ ...parent, agent_id: undefined })) }),
  ),
]

const TOGETHER: readonly Case[] = [
  under(
    'every condition must hold',
    { agent: digest(AGENT), scope: 'db:*', before: NOW + 1, keep_audiences: [digest(MAIL)], key: digest(HEADER.kid) },
    token('ended'),
    token('live', { sub: 'nobody' }),
    token('live', { scope: 'mail:send' }),
    token('live', { jti: makeId(NOW + 1, TAIL) }),
    token('live', { aud: MAIL }),
    token('live', {}, { kid: 'key-2' }),
    token('live', { seq: 902 }),
  ),
  under(
    'a missing claim matters only where all other conditions hold',
    { agent: digest(AGENT), credential: digest(CREDENTIAL) },
    token('ask', { credential_id: undefined }),
    token('live', { credential_id: undefined, sub: 'nobody' }),
    token('live', { credential_id: undefined, seq: 902 }),
  ),
  {
    name: 'an end by one cut-off outweighs the doubt of another',
    steps: [...withCutOffs(cutOff({ planet: 'mars' }), cutOff({ agent: digest(AGENT) })), token('ended')],
  },
]

export const CONDITION_CASES: readonly Case[] = [...WHOSE, ...WHAT_FOR, ...WHEN, ...FAMILY, ...TOGETHER]
