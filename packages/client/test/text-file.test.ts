// Files with secrets that do not end: a pipe that nobody writes into, or whose writer stops halfway.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readTextFile } from '../src/wire/text-file.ts'

/** A reader that waits keeps its thread: the file must end all the same. */
const WAITING = { timeout: 20_000 }
const SOON_MS = 100

let folder: string
const pipes: string[] = []

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'mintmark-pipe-'))
})
after(() => {
  // Readers that were left waiting would keep this process.
  for (const path of pipes) closeSync(openSync(path, 'r+'))
  rmSync(folder, { recursive: true })
})

const makePipe = (name: string): string => {
  const path = join(folder, name)
  execFileSync('mkfifo', [path])
  pipes.push(path)
  return path
}

const LATE = { name: 'FileFault', message: /^the file ".*" was not read to its end within 100 ms$/ }

test('a pipe that nobody writes into is given up, and keeps no thread of the process', WAITING, async () => {
  // As many as there are threads: if they were kept, no other file could be read.
  const four = ['one', 'two', 'three', 'four'].map(makePipe)
  await Promise.all(four.map(path => assert.rejects(readTextFile(path, SOON_MS), LATE)))
  const file = join(folder, 'file')
  await writeFile(file, 'secret\n')
  assert.equal(await readTextFile(file), 'secret')
})

test('a pipe whose writer stops halfway is given up', WAITING, async () => {
  const path = makePipe('half')
  const writer = await open(path, 'r+')
  await writer.write('mm')
  await assert.rejects(readTextFile(path, SOON_MS), LATE)
  await writer.close()
})

test('a pipe is read to its end, also where its writer comes late', WAITING, async () => {
  const path = makePipe('late')
  const reading = readTextFile(path)
  await writeFile(path, 'secret\n')
  assert.equal(await reading, 'secret')
})
