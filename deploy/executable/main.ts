// The first code of the single executable: unpacks the program and runs it from its folder.
import { createRequire } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { getAsset, getRawAsset } from 'node:sea'
import { zstdDecompressSync } from 'node:zlib'
import { type Build, unpack } from './unpack.ts'

const readHome = (): string | undefined => {
  try {
    return homedir()
  } catch {
    // A user id that is on no list of users, without HOME.
    return undefined
  }
}

const build: Build = {
  ...(JSON.parse(getAsset('index', 'utf8')) as Omit<Build, 'readContent'>),
  readContent: () => zstdDecompressSync(Buffer.from(getRawAsset('content'))),
}

try {
  const folder = unpack(build, { env: process.env, home: readHome(), temporary: tmpdir() })
  createRequire(join(folder, 'start.cjs'))('./start.cjs')
} catch (fault) {
  process.stderr.write(`${(fault as Error).message}\n`)
  process.exitCode = 1
}
