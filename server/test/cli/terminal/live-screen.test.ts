// What `mintmark top` does with a terminal: it draws, leaves at a key or a signal, and puts everything back.
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { isScreen, type ScreenSize, showLive } from '../../../src/cli/terminal/live-screen.ts'
import { layOutTop } from '../../../src/cli/terminal/top-screen.ts'
import { fitText, textWidth } from '../../../src/cli/terminal/text-width.ts'
import { ODD_TEXTS } from '../../../../testkit/parsers/hostile-inputs.ts'

const ENTER = '\u001b[?1049h\u001b[?25l'
const LEAVE = '\u001b[?25h\u001b[?1049l'

const makeTerminal = () => {
  const modes: boolean[] = []
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => void modes.push(on) })
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 40, rows: 3 })
  let shown = ''
  stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  const until = async (text: string): Promise<void> => {
    while (!shown.includes(text)) await once(stdout, 'data')
  }
  const terminal = Object.assign(new EventEmitter(), { stdin, stdout })
  return { terminal, modes, until, shown: () => shown }
}

/** Shows counting lines until `leave`, and gives what a terminal got. */
const follow = async (leave: (terminal: ReturnType<typeof makeTerminal>['terminal']) => unknown) => {
  const made = makeTerminal()
  let reads = 0
  const showing = showLive(
    {
      read: () => {
        reads += 1
        return Promise.resolve()
      },
      layOut: ({ columns, rows }) => [`read ${reads} at ${columns}x${rows}`, 'two', 'three', 'beyond the last row'],
      everyMs: 1,
    },
    made.terminal,
  )
  await made.until('read 2 at 40x3')
  await leave(made.terminal)
  await showing
  return { ...made, all: made.shown() }
}

test('lines are drawn anew on another screen, and q, Ctrl-C, Ctrl-D, a lost terminal and signals put everything back', async () => {
  const ways: readonly ((terminal: ReturnType<typeof makeTerminal>['terminal']) => unknown)[] = [
    ({ stdin }) => stdin.write('q'),
    ({ stdin }) => stdin.write('Q'),
    ({ stdin }) => stdin.write('\u0003'),
    ({ stdin }) => stdin.write('\u0004'),
    ({ stdin }) => stdin.end(),
    terminal => terminal.emit('SIGTERM'),
    terminal => terminal.emit('SIGINT'),
    terminal => terminal.emit('SIGHUP'),
  ]
  for (const way of ways) {
    const { all, modes, terminal } = await follow(way)
    assert.ok(all.startsWith(`${ENTER}\u001b[H`))
    assert.ok(all.endsWith(LEAVE))
    assert.ok(!all.includes('beyond'))
    assert.deepEqual(modes, [true, false])
    assert.deepEqual(terminal.eventNames(), [])
    assert.equal(terminal.stdin.listenerCount('data'), 0)
  }
})

test('another key leaves nothing, and a terminal that changes its size is drawn at once', async () => {
  const { all } = await follow(async ({ stdin, stdout }) => {
    stdin.write('x')
    Object.assign(stdout, { columns: 60, rows: 2 })
    stdout.emit('resize')
    await once(stdout, 'data')
    stdin.write('q')
  })
  assert.match(all, /at 60x2/)
})

test('what fails while it is shown leaves the terminal as it was', async () => {
  const { terminal, modes, shown } = makeTerminal()
  const read = () => Promise.reject(new Error('a fault'))
  await assert.rejects(showLive({ read, layOut: () => ['a'], everyMs: 1 }, terminal), /a fault/)
  assert.ok(shown().endsWith(LEAVE))
  assert.deepEqual(modes, [true, false])
})

test('it is a screen only where standard input and output are both terminals', () => {
  const { terminal } = makeTerminal()
  assert.equal(isScreen(terminal), true)
  for (const name of ['stdin', 'stdout'] as const) {
    assert.equal(isScreen(Object.assign(terminal, { [name]: new PassThrough() })), false)
  }
})

const recordOf = (name: string, owner: string | null = null) => ({
  agent_id: '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10',
  name,
  owner,
  state: 'active',
  tokens_last_minute: 1204,
  tokens_last_hour: 70_311,
  tokens_last_day: 1_480_220,
  live_tokens: { count: 10_000, exact: false },
  refusals: 17,
  last_issued_at: '2026-11-21T09:30:00.123Z',
})

test('columns that fit are shown, each line fits, and name and tokens of the minute always are', () => {
  const sizes: readonly ScreenSize[] = [200, 160, 120, 100, 80, 60, 40, 20, 1].map(columns => ({ columns, rows: 24 }))
  for (const size of sizes) {
    const lines = layOutTop([recordOf('a long name '.repeat(8), 'Ada')], size, null)
    for (const line of lines) assert.ok(textWidth(line) <= size.columns, `${size.columns}: ${line}`)
    if (size.columns >= 20)
      assert.match(lines[2] ?? '', /^ *1204 a long/.test(lines[2] ?? '') ? /1204/ : /1204 .*a long/)
    assert.equal(
      lines.some(line => line.includes('6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10')),
      size.columns >= 120,
    )
  }
  assert.equal(layOutTop([recordOf('a')], { columns: 80, rows: 24 }, null)[2]?.includes('10000+'), true)
})

test('as many agents as the terminal has lines for, and what went wrong in the place of the first line', () => {
  const records = Array.from({ length: 50 }, (_, n) => recordOf(`agent ${n}`))
  for (const rows of [1, 2, 3, 24]) {
    assert.ok(layOutTop(records, { columns: 80, rows }, null).length <= Math.max(rows, 2))
  }
  const lines = layOutTop(records, { columns: 80, rows: 24 }, 'Not up to date: no answer')
  assert.equal(lines.length, 24)
  assert.equal(lines[0], 'Not up to date: no answer')
})

test('no odd name reaches the terminal as it is, nor moves a number of its line', () => {
  for (const text of [...Object.values(ODD_TEXTS), '\u0627\u0644\u0648\u0643\u064a\u0644', '漢字'.repeat(40)]) {
    const line = layOutTop([recordOf(text, text)], { columns: 80, rows: 24 }, null)[2] ?? ''
    assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u)
    assert.match(line, /^ +1204 /)
    assert.ok(textWidth(line) <= 80)
  }
})

test('a text is cut by the columns that it takes', () => {
  assert.equal(fitText('漢字', 4), '漢字')
  assert.equal(fitText('漢字', 3), '漢…')
  assert.equal(fitText('漢字', 2), '… ')
  assert.equal(fitText('e\u0301a', 2), 'e\u0301a')
  assert.equal(fitText('abc', 0).length <= 1, true)
})
