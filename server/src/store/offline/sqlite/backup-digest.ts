// The digest of a backup: behind the pages of SQLite, over every byte before it. It finds what a disk or a copy has damaged; an attacker who
// can write the file can write its digest too.
import { createHash } from 'node:crypto'
import { appendFileSync, closeSync, fstatSync, openSync, readSync, truncateSync } from 'node:fs'
import { StoreProblem } from '../../store-problem.ts'

const MARK = Buffer.from('MMBK-256')
const DIGEST_BYTES = 32
const TRAILER_BYTES = MARK.length + DIGEST_BYTES
/** The bytes that are read at once, whatever the size of the file. */
const PIECE_BYTES = 1_048_576

const withFile = <T>(file: string, work: (descriptor: number, bytes: number) => T): T => {
  const descriptor = openSync(file, 'r')
  try {
    return work(descriptor, fstatSync(descriptor).size)
  } finally {
    closeSync(descriptor)
  }
}

const digestOf = (descriptor: number, bytes: number): Buffer => {
  const hash = createHash('sha256')
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  for (let at = 0; at < bytes; ) {
    const read = readSync(descriptor, piece, 0, Math.min(PIECE_BYTES, bytes - at), at)
    if (read === 0) break
    hash.update(piece.subarray(0, read))
    at += read
  }
  return hash.digest()
}

/** The mark and the digest at the end; undefined where there is none. */
const readTrailer = (descriptor: number, bytes: number): Buffer | undefined => {
  const trailer = Buffer.alloc(TRAILER_BYTES)
  if (bytes < TRAILER_BYTES) return undefined
  readSync(descriptor, trailer, 0, TRAILER_BYTES, bytes - TRAILER_BYTES)
  return trailer.subarray(0, MARK.length).equals(MARK) ? trailer.subarray(MARK.length) : undefined
}

export const damaged = (file: string, how: string): StoreProblem =>
  new StoreProblem(`${file} is damaged: ${how}. Restore another backup, or another copy of this one.`)

/** Completes a backup, which nothing writes after this. */
export const appendDigest = (file: string): void =>
  appendFileSync(file, Buffer.concat([MARK, withFile(file, digestOf)]))

/** Whether the file ends with the digest of what stands before it; false where it has none. Throws StoreProblem where it differs. */
export const checkDigest = (file: string): boolean =>
  withFile(file, (descriptor, bytes) => {
    const written = readTrailer(descriptor, bytes)
    if (written === undefined) return false
    if (digestOf(descriptor, bytes - TRAILER_BYTES).equals(written)) return true
    throw damaged(file, 'its content is not what was written (SHA-256)')
  })

/** Takes the digest off a copy, which is to become a store. */
export const dropDigest = (copy: string): void => {
  if (checkDigest(copy)) truncateSync(copy, withFile(copy, (_, bytes) => bytes) - TRAILER_BYTES)
}
