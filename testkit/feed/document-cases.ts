// Cases of the conformance table: which changes are applied, in which order, and what starting over forgets.
import {
  type Case,
  changes,
  cutOff,
  EXP,
  head,
  joinTails,
  type Members,
  NOTHING_YET,
  NOW,
  OTHER_EPOCH,
  OTHER_TAIL,
  segment,
  snapshot,
  startOver,
  TAIL,
  token,
} from './case.ts'

const ENDS_IT: Members = { ended: { [EXP]: joinTails(TAIL) } }
const ENDS_ANOTHER: Members = { ended: { [EXP]: joinTails(OTHER_TAIL) } }

const CHANGES: readonly Case[] = [
  {
    name: 'changes from the position of the follower are applied',
    steps: [NOTHING_YET, changes([0, 1], ENDS_IT, 1), token('ended')],
  },
  {
    name: 'changes without any position leave everything as it is',
    steps: [NOTHING_YET, changes([0, 1], ENDS_IT, 1), changes([1, 1], {}, 1), token('ended')],
  },
  {
    name: 'repeated changes are applied once',
    steps: [
      NOTHING_YET,
      changes([0, 3], ENDS_IT, 3),
      changes([0, 3], ENDS_IT, 3),
      changes([0, 1], ENDS_ANOTHER, 3),
      token('ended'),
      changes([3, 4], ENDS_ANOTHER, 4),
      token('ended'),
    ],
  },
  {
    name: 'changes from before the position of the follower to beyond it are applied',
    steps: [NOTHING_YET, changes([0, 3], {}, 3), changes([1, 5], ENDS_IT, 5), token('ended')],
  },
  {
    name: 'changes beyond a gap are not applied, and are once the gap is closed',
    steps: [
      NOTHING_YET,
      changes([2, 3], ENDS_IT, 0),
      token('live'),
      changes([0, 2], {}, 2),
      token('live'),
      changes([2, 3], ENDS_IT, 3),
      token('ended'),
    ],
  },
  {
    name: 'changes that lead back are not applied',
    steps: [NOTHING_YET, changes([0, 5], {}, 5), changes([5, 3], {}, 5), changes([3, 5], ENDS_IT, 5), token('ended')],
  },
  {
    name: 'changes of another epoch are not applied, and their time forgets nothing',
    steps: [
      NOTHING_YET,
      changes([0, 1], ENDS_IT, 1),
      changes([1, 2], { epoch: OTHER_EPOCH, now: (EXP + 1) * 1000 }, 1),
      token('ended'),
      changes([1, 2], { ...ENDS_ANOTHER, epoch: OTHER_EPOCH }, 1),
      token('live', { jti: `00000000-0000-7000-${OTHER_TAIL.slice(0, 4)}-${OTHER_TAIL.slice(4)}` }),
    ],
  },
  {
    name: 'a member of a document that the follower does not know changes nothing',
    steps: [NOTHING_YET, changes([0, 1], { ...ENDS_IT, links: { next: '…' } }, 1), token('ended')],
  },
]

const malformed = (what: string, members: Members): Case => ({
  name: `a document ${what} is not applied`,
  steps: [NOTHING_YET, changes([0, 1], ENDS_IT, 1), changes([1, 2], members, 1), token('ended')],
})

const MALFORMED: readonly Case[] = [
  malformed('without ended', { ended: undefined }),
  malformed('without cut_offs', { cut_offs: undefined }),
  malformed('without epoch', { epoch: undefined }),
  malformed('without from', { from: undefined }),
  malformed('without to', { to: undefined }),
  malformed('whose position is a fraction', { to: 1.5 }),
  malformed('whose position is text', { to: '2' }),
  malformed('whose ended is an array', { ended: [] }),
  malformed('whose cut_offs is an object', { cut_offs: {} }),
  malformed('with a tail of 7 bytes', { ended: { [EXP]: joinTails(TAIL, OTHER_TAIL.slice(2)) } }),
  malformed('with tails in base64 that is not base64url', { ended: { [EXP]: '/+//////////' } }),
  malformed('with tails that are not text', { ended: { [EXP]: 1 } }),
  malformed('with an exp that is not in decimal digits', { ended: { '1e9': joinTails(TAIL) } }),
  malformed('with a cut-off that is not an object', { cut_offs: [null] }),
  malformed('with a cut-off without seq', { cut_offs: [cutOff({ seq: undefined })] }),
  malformed('with a cut-off without until', { cut_offs: [cutOff({ until: undefined })] }),
]

const STARTING_OVER: readonly Case[] = [
  {
    name: 'starting over forgets everything',
    steps: [
      NOTHING_YET,
      changes([0, 1], { ...ENDS_ANOTHER, cut_offs: [cutOff()] }, 1),
      token('ended'),
      startOver,
      token('ask'),
      changes([1, 2], {}, null),
      snapshot({ epoch: OTHER_EPOCH, position: 0, segments: [] }, 0),
      token('live'),
      changes([0, 1], ENDS_IT, 0),
      token('live'),
      changes([0, 1], { ...ENDS_IT, epoch: OTHER_EPOCH }, 1),
      token('ended'),
    ],
  },
  {
    name: 'starting over forgets a snapshot that is not complete',
    steps: [
      snapshot(
        {
          position: 7,
          segments: [
            [0, 4],
            [4, 7],
          ],
        },
        null,
      ),
      segment([0, 4], ENDS_IT, null),
      startOver,
      segment([4, 7], {}, null),
      token('ask'),
      NOTHING_YET,
      token('live'),
    ],
  },
  {
    name: 'starting over forgets the time of the service',
    steps: [
      NOTHING_YET,
      head({ position: 0, now: (EXP + 1) * 1000 }, 0),
      startOver,
      snapshot({ epoch: OTHER_EPOCH, now: NOW, position: 0, segments: [] }, 0),
      changes([0, 1], { ...ENDS_IT, epoch: OTHER_EPOCH }, 1),
      token('ended'),
    ],
  },
]

export const DOCUMENT_CASES: readonly Case[] = [...CHANGES, ...MALFORMED, ...STARTING_OVER]
