// Cases of the conformance table: snapshots and their segments, and what counts before all are there.
import {
  type Case,
  changes,
  cutOff,
  EXP,
  head,
  joinTails,
  type Members,
  NOTHING_YET,
  OTHER_EPOCH,
  OTHER_TAIL,
  segment,
  snapshot,
  TAIL,
  token,
} from './case.ts'

const ENDS_IT: Members = { ended: { [EXP]: joinTails(TAIL) } }
const ENDS_ANOTHER: Members = { ended: { [EXP]: joinTails(OTHER_TAIL) } }

const SNAPSHOTS: readonly Case[] = [
  { name: 'before the first snapshot nothing is known of any token', steps: [token('ask')] },
  { name: 'a head is no snapshot', steps: [head({ position: 0 }, null), token('ask')] },
  { name: 'a snapshot at position 0 has no segments, and no token has ended', steps: [NOTHING_YET, token('live')] },
  {
    name: 'the facts of a snapshot count once all of its segments are applied',
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
      token('ask'),
      segment([0, 4], ENDS_IT, null),
      token('ask'),
      segment([4, 7], {}, 7),
      token('ended'),
      token('live', { exp: EXP + 1 }),
    ],
  },
  {
    name: 'the facts of each segment of a snapshot count',
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
      segment([0, 4], ENDS_ANOTHER, null),
      segment([4, 7], { cut_offs: [cutOff()] }, 7),
      token('ended'),
      token('live', { seq: 902 }),
    ],
  },
  {
    name: 'a segment out of turn is not applied',
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
      segment([4, 7], ENDS_IT, null),
      token('ask'),
      segment([0, 4], {}, null),
      token('ask'),
      segment([4, 7], ENDS_IT, 7),
      token('ended'),
    ],
  },
  {
    name: 'a segment of another epoch is not applied',
    steps: [
      snapshot({ position: 4, segments: [[0, 4]] }, null),
      segment([0, 4], { epoch: OTHER_EPOCH }, null),
      token('ask'),
      segment([0, 4], ENDS_IT, 4),
      token('ended'),
    ],
  },
  {
    name: 'changes wait for the snapshot',
    steps: [
      changes([0, 1], ENDS_IT, null),
      token('ask'),
      snapshot({ position: 4, segments: [[0, 4]] }, null),
      changes([4, 5], ENDS_IT, null),
      segment([0, 4], {}, 4),
      token('live'),
      changes([4, 5], ENDS_IT, 5),
      token('ended'),
    ],
  },
]

const brokenChain = (how: string, position: number, segments: readonly (readonly number[])[]): Case => ({
  name: `a snapshot whose segments ${how} is not applied`,
  steps: [
    snapshot({ position, segments }, null),
    ...segments.map(([from = 0, to = 0]) => segment([from, to], {}, null)),
    token('ask'),
  ],
})

const BROKEN_CHAINS: readonly Case[] = [
  brokenChain('do not begin at 0', 7, [[1, 7]]),
  brokenChain('have a hole', 7, [
    [0, 4],
    [5, 7],
  ]),
  brokenChain('overlap', 7, [
    [0, 4],
    [3, 7],
  ]),
  brokenChain('end before its position', 7, [
    [0, 4],
    [4, 6],
  ]),
  brokenChain('end beyond its position', 7, [
    [0, 4],
    [4, 8],
  ]),
  brokenChain('are missing', 7, []),
  brokenChain('go back', 7, [
    [0, 9],
    [9, 7],
  ]),
]

const brokenSnapshot = (how: string, members: Members): Case => ({
  name: `a snapshot ${how} is not applied`,
  steps: [snapshot({ position: 4, segments: [[0, 4]], ...members }, null), segment([0, 4], {}, null), token('ask')],
})

const BROKEN_SNAPSHOTS: readonly Case[] = [
  brokenSnapshot('without epoch', { epoch: undefined }),
  brokenSnapshot('without now', { now: undefined }),
  brokenSnapshot('without position', { position: undefined }),
  brokenSnapshot('without segments', { segments: undefined }),
  brokenSnapshot('whose segments are an object', { segments: {} }),
  brokenSnapshot('with a segment that is a number', { segments: [4] }),
  brokenSnapshot('with a segment of one number', { segments: [[0]] }),
  brokenSnapshot('with a segment of text', { segments: [['0', '4']] }),
  brokenSnapshot('at a position before 0', { position: -1, segments: [] }),
]

const SEGMENTS: readonly Case[] = [
  {
    name: 'a segment that the snapshot does not name is not applied',
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
      segment([0, 3], {}, null),
      segment([1, 4], ENDS_IT, null),
      segment([0, 7], {}, null),
      segment([0, 4], {}, null),
      segment([4, 7], {}, 7),
      token('live'),
    ],
  },
  {
    name: 'a malformed segment is not applied',
    steps: [
      snapshot({ position: 4, segments: [[0, 4]] }, null),
      segment([0, 4], { ended: null }, null),
      segment([0, 4], ENDS_IT, 4),
      token('ended'),
    ],
  },
]

export const SNAPSHOT_CASES: readonly Case[] = [...SNAPSHOTS, ...BROKEN_CHAINS, ...BROKEN_SNAPSHOTS, ...SEGMENTS]
