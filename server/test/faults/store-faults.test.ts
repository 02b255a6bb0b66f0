// A store whose disk fails or hangs under the whole service: what is still answered, and what is 503.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { SQLITE_RESULTS } from '../../src/store/sqlite/connection/database.ts'
import type { Ports } from '../../src/ports/ports.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { type ClockCells, clockOf } from '../../src/store/sqlite/connection/clock.ts'
import { groupCommit } from '../../src/store/sqlite/writer/writer-queue.ts'
import { connectStore } from '../../src/store/sqlite/open.ts'
import { type WritingConnection, writingConnection } from '../../src/store/sqlite/connection/transaction.ts'
import type { JobMessage } from '../../src/store/sqlite/writer/writer-messages.ts'
import {
  type Answer,
  askToken,
  basic,
  get,
  introspect,
  issue,
  postForm,
  revoke,
} from '../../../testkit/callers/requests.ts'
import { startServer } from '../../../testkit/services/test-server.ts'
import { openBeside, sqliteFault } from '../../../testkit/stores/store-file.ts'
import { makePlace, START } from '../../../testkit/stores/store.ts'

/** How long is waited for a disk that hangs: less than a request may take. */
const HANGING_MS = 2000
/** Every other disk answers at once, if the machine is not loaded. */
const PATIENT_MS = 60_000

/** Runs a statement, or fails in its place as SQLite does. */
type Disk = (text: string) => void

const failing =
  (where: string, message: string, result: number): Disk =>
  text => {
    if (text === where) throw sqliteFault(message, result)
  }

/** `hangs`: the writing thread takes the job and is never heard of again. */
const FAULTS: Readonly<Record<string, Disk | 'hangs'>> = {
  'is full': failing('commit', 'database or disk is full', SQLITE_RESULTS.full),
  'has become read-only': failing('begin immediate', 'attempt to write a readonly database', SQLITE_RESULTS.readonly),
  'fails to sync': failing('commit', 'disk I/O error', SQLITE_RESULTS.ioerr),
  'never answers': 'hangs',
}

type Opened = { readonly file: string; readonly clock: ClockCells | null }

/** The real store, but for what writes: its work is done here, on a connection with that disk. */
const withDisk = ({ file, clock }: Opened, fault: () => Disk | 'hangs' | undefined, storeMs: number) => {
  assert.ok(clock)
  const db = openBeside(file)
  const { port1: port, port2 } = new MessageChannel()
  const real = writingConnection(db, clockOf(clock), { timing: TIMING })
  const connection: WritingConnection = {
    ...real,
    sql: <Row>(text: string) => {
      const disk = fault()
      if (disk !== undefined && disk !== 'hangs') disk(text)
      return real.sql<Row>(text)
    },
  }
  port.on('message', (job: JobMessage) => {
    if (fault() === 'hangs') return
    for (const reply of groupCommit(connection, [job])) port.postMessage(reply)
  })
  const store = connectStore({ file, clock, timing: { ...TIMING, storeMs } })
  store.connect(port2)
  const close = (): void => {
    port.close()
    store.close()
    db.close()
  }
  return { store, close }
}

for (const [name, disk] of Object.entries(FAULTS)) {
  test(`a store that ${name}: writes and readiness are 503, reads are true until the lease of the clock is out`, async () => {
    let fault: Disk | 'hangs' | undefined
    let close = (): void => undefined
    const place = await makePlace(START)
    const service = await startServer({
      place,
      break: (ports, { clock }): Ports => {
        const made = withDisk({ ...place, clock }, () => fault, disk === 'hangs' ? HANGING_MS : PATIENT_MS)
        ;({ close } = made)
        return { ...ports, ...made.store }
      },
    })
    try {
      const agent = await service.createAgent()
      const { key } = await service.createApiKey('tokens:introspect')
      const reader = { 'x-api-key': (await service.createApiKey('tokens:read')).key }
      const token = await issue(service, agent)
      const list = (): Promise<Answer> => get(service, '/api/v1/tokens', reader)
      const history = (): Promise<Answer> => get(service, '/api/v1/tokens/history', reader)
      const listed = (await list()).text

      const write = () =>
        Promise.all([
          askToken(service, agent),
          revoke(service, token),
          postForm(service, '/oauth/revoke', { token }, basic(agent.clientId, agent.clientSecret)),
          get(service, '/readyz'),
        ])
      const read = () => Promise.all([introspect(service, key, token), list(), history()])
      const reported = (answers: readonly Answer[]) =>
        answers.map(({ status, headers }) => `${status} ${headers['retry-after'] ?? 'no'}`)

      fault = disk
      assert.deepEqual(reported(await write()), ['503 1', '503 1', '503 1', '503 1'])
      const [introspected, live, ended] = await read()
      assert.match(introspected.text, /^\{"active":true,/)
      assert.deepEqual([live.text, ended.text], [listed, '{"data":[],"next_cursor":null}'])
      service.clock.advance(1001)
      assert.deepEqual(reported(await read()), ['503 1', '503 1', '503 1'])
      assert.equal((await get(service, '/.well-known/jwks.json')).status, 200)

      fault = undefined
      assert.equal((await get(service, '/readyz')).status, 200)
      assert.equal((await revoke(service, token)).status, 200)
      assert.equal((await introspect(service, key, token)).text, '{"active":false}')
    } finally {
      close()
      await service.close()
    }
  })
}
