// The revocation drill in small, on the real program: killed while the records of ended tokens follow, it loses and repeats nothing.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  countActive,
  countRecords,
  endAllTokens,
  fillAgent,
  follow,
  restart,
  untilClosed,
  untilMoved,
} from '../../revocation/end-all-tokens.ts'
import { prepareService } from '../../service-under-drill.ts'

const TOKENS = 6000
const SAMPLES = 50

// Where the kill comes late all records may have followed: what is asserted holds whenever it comes.
test('a service killed while records follow goes on where it was: no token lives on, none is lost, none moves twice', async t => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mintmark-kill-')))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const service = await prepareService(folder, 1)
  t.after(service.close)
  const { access } = service
  const samples = fillAgent(service, TOKENS, SAMPLES)
  const id = randomUUID()
  const running = await service.start()
  assert.ok(running)
  assert.equal(await countActive(access, samples), SAMPLES)
  await endAllTokens(access, id)
  assert.equal(await countActive(access, samples), 0)
  const before = await untilMoved(access, id, 0)
  const again = await restart(service, running)
  assert.equal(await countActive(access, samples), 0)
  assert.ok((await follow(access, id)).tokens_moved >= before.tokens_moved)
  const { tokens_moved } = await untilClosed(access, id)
  assert.equal(tokens_moved, TOKENS)
  await again.kill()
  assert.deepEqual(countRecords(service, id), { live: 0, byRevocation: TOKENS, byHand: 0 })
})
