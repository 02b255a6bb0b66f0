// Cases of the conformance table: tokens that ended one by one, numbers of cut-offs at their edges, and when facts are over.
import {
  type Case,
  CLAIMS,
  changes,
  cutOff,
  EXP,
  head,
  joinTails,
  makeId,
  NOTHING_YET,
  NOW,
  OTHER_EPOCH,
  OTHER_TAIL,
  TAIL,
  type TokenStep,
  token,
  UNTIL,
  withCutOffs,
} from './case.ts'

/** Half of one tail and half of the next. */
const ACROSS = `${TAIL.slice(8)}${OTHER_TAIL.slice(0, 8)}`

/** A token that is expired by the time of the service: its end may be forgotten, so nobody may say that it lives. */
const EXPIRED: TokenStep = { ...token('ended'), or: 'ask' }

const ONE_BY_ONE: readonly Case[] = [
  {
    name: 'a token has ended if its tail stands under its exp, whatever the first bytes of its jti',
    steps: [
      NOTHING_YET,
      changes([0, 1], { ended: { [EXP]: joinTails(TAIL) } }, 1),
      token('ended'),
      token('ended', { jti: makeId(1, TAIL) }),
      token('live', { jti: makeId(NOW, OTHER_TAIL) }),
      token('live', { exp: EXP - 1 }),
      token('live', { exp: EXP + 1 }),
    ],
  },
  {
    name: 'tails stand one after another, in no order',
    steps: [
      NOTHING_YET,
      changes([0, 2], { ended: { [EXP]: joinTails('ffffffffffffffff', TAIL, OTHER_TAIL, '0000000000000000') } }, 2),
      token('ended'),
      token('ended', { jti: makeId(NOW, OTHER_TAIL) }),
      token('ended', { jti: makeId(NOW, '0000000000000000') }),
      token('ended', { jti: makeId(NOW, 'ffffffffffffffff') }),
      token('live', { jti: makeId(NOW, ACROSS) }),
    ],
  },
  {
    name: 'tails of several documents and several exp add up',
    steps: [
      NOTHING_YET,
      changes([0, 1], { ended: { [EXP]: joinTails(TAIL), [EXP + 60]: joinTails(OTHER_TAIL) } }, 1),
      changes([1, 2], { ended: { [EXP]: joinTails(OTHER_TAIL) } }, 2),
      token('ended'),
      token('ended', { jti: makeId(NOW, OTHER_TAIL) }),
      token('ended', { jti: makeId(NOW, OTHER_TAIL), exp: EXP + 60 }),
      token('live', { exp: EXP + 60 }),
    ],
  },
  {
    name: 'an exp without tails ends nothing',
    steps: [NOTHING_YET, changes([0, 1], { ended: { [EXP]: '' } }, 1), token('live')],
  },
  {
    name: 'the jti of a token that was not made by this service says nothing',
    steps: [
      NOTHING_YET,
      changes([0, 1], { ended: { [EXP]: joinTails(TAIL) } }, 1),
      token('ask', { jti: 'a1b2-c3d4e5f60718' }),
      token('ask', { jti: `${CLAIMS.jti}0` }),
      token('ask', { jti: undefined }),
      token('ask', { jti: 7 }),
    ],
  },
]

const NUMBERS: readonly Case[] = [
  {
    name: 'a cut-off without conditions ends every token with a smaller seq',
    steps: [
      ...withCutOffs(cutOff()),
      token('ended', { seq: 0 }),
      token('ended', { seq: 901 }),
      token('live', { seq: 902 }),
      token('live', { seq: 903 }),
      token('ended', { seq: 1, sub: 'x', scope: 'y:z', aud: [], credential_id: undefined }, { kid: undefined }),
    ],
  },
  {
    name: 'numbers are compared as numbers and not as text',
    steps: [
      ...withCutOffs(cutOff({ seq: 1000 })),
      token('ended', { seq: 999 }),
      token('live', { seq: 10_000 }),
      token('live', { seq: Number.MAX_SAFE_INTEGER }),
    ],
  },
  {
    name: 'one cut-off of many is enough',
    steps: [
      ...withCutOffs(cutOff({ seq: 800 }), cutOff({ seq: 902 }), cutOff({ seq: 850 })),
      token('ended', { seq: 901 }),
      token('live', { seq: 902 }),
    ],
  },
  {
    name: 'a token without a seq is not known to be alive',
    steps: [...withCutOffs(cutOff()), token('ask', { seq: undefined }), token('ask', { seq: '903' })],
  },
  {
    name: 'a later cut-off of a smaller number revives nothing',
    steps: [...withCutOffs(cutOff()), changes([1, 2], { cut_offs: [cutOff({ seq: 100 })] }, 2), token('ended')],
  },
  {
    name: 'until is no condition',
    steps: [
      ...withCutOffs(cutOff({ until: EXP })),
      token('ended', { exp: EXP - 1 }),
      token('ended', { exp: EXP }),
      token('ended', { exp: EXP + 1 }),
    ],
  },
]

const FORGETTING: readonly Case[] = [
  {
    name: 'a token that ended is over once the time of the service is beyond its exp, and not before',
    steps: [
      NOTHING_YET,
      changes([0, 1], { ended: { [EXP]: joinTails(TAIL), [EXP + 1]: joinTails(OTHER_TAIL) } }, 1),
      head({ position: 1, now: EXP * 1000 }, 1),
      token('ended'),
      head({ position: 1, now: EXP * 1000 + 1 }, 1),
      EXPIRED,
      token('ended', { jti: makeId(NOW, OTHER_TAIL), exp: EXP + 1 }),
    ],
  },
  {
    name: 'a cut-off is over once the time of the service is beyond its until, and not before',
    steps: [
      ...withCutOffs(cutOff({ until: EXP }), cutOff({ seq: 500 })),
      changes([1, 1], { now: EXP * 1000 }, 1),
      token('ended'),
      changes([1, 1], { now: EXP * 1000 + 1 }, 1),
      EXPIRED,
      token('ended', { seq: 499 }),
    ],
  },
  {
    name: 'an unknown cut-off is over once the time of the service is beyond its until, and not before',
    steps: [
      ...withCutOffs(cutOff({ until: EXP, planet: 'mars' })),
      head({ position: 1, now: EXP * 1000 }, 1),
      token('ask'),
      head({ position: 1, now: EXP * 1000 + 1 }, 1),
      EXPIRED,
    ],
  },
  {
    name: 'the time in a head of another epoch forgets nothing',
    steps: [
      ...withCutOffs(cutOff({ until: EXP })),
      head({ epoch: OTHER_EPOCH, position: 0, now: (UNTIL + 1) * 1000 }, 1),
      token('ended'),
    ],
  },
  {
    name: 'the time in a head whose position is beyond that of the follower forgets too, and moves it nowhere',
    steps: [
      ...withCutOffs(cutOff({ until: EXP }), cutOff({ seq: 500 })),
      head({ position: 9, now: EXP * 1000 + 1 }, 1),
      EXPIRED,
      token('ended', { seq: 499 }),
    ],
  },
]

const EXPIRY: readonly Case[] = [
  {
    name: 'a token that is expired by the time of the service is not alive, whatever the clock and the leeway of the follower',
    steps: [
      NOTHING_YET,
      changes([0, 0], { now: EXP * 1000 - 1 }, 0),
      token('live'),
      changes([0, 0], { now: EXP * 1000 + 1 }, 0),
      EXPIRED,
      token('live', { exp: EXP + 1 }),
      changes([0, 0], { now: NOW }, 0),
      EXPIRED,
    ],
  },
]

export const FACT_CASES: readonly Case[] = [...ONE_BY_ONE, ...NUMBERS, ...FORGETTING, ...EXPIRY]
