// Public keys in PEM, as `openssl pkey -pubout` prints them or in certificates, as the JWKs that the API takes.
import { createPublicKey, type webcrypto } from 'node:crypto'
import { CommandFailed } from './exit.ts'

const BLOCK = /-----BEGIN ([A-Z0-9 ]{1,40})-----[A-Za-z0-9+/=\s]{0,100000}-----END \1-----/g

const PUBLIC = ['PUBLIC KEY', 'RSA PUBLIC KEY', 'CERTIFICATE', 'X509 CERTIFICATE', 'TRUSTED CERTIFICATE']

export const isPem = (text: string): boolean => text.includes('-----BEGIN ')

const readKey = ([block, label = '']: RegExpMatchArray): webcrypto.JsonWebKey => {
  if (label.endsWith('PRIVATE KEY')) {
    throw new CommandFailed(
      `The file holds a private key (${label}), which stays where it is: give its public half, as \`openssl pkey -pubout\` prints it.`,
    )
  }
  if (!PUBLIC.includes(label)) throw new CommandFailed(`The file holds ${label} in PEM, which is no public key.`)
  try {
    return createPublicKey(block).export({ format: 'jwk' })
  } catch {
    throw new CommandFailed(`The file holds ${label} in PEM that cannot be read as a public key.`)
  }
}

/** Throws CommandFailed with one line for a person; no part of a key stands in it. */
export const readPemKeys = (text: string): readonly webcrypto.JsonWebKey[] => {
  const blocks = [...text.matchAll(BLOCK)]
  // A private key before anything else: what is wrong beside it does not matter.
  const first = blocks.find(([, label]) => label?.endsWith('PRIVATE KEY')) ?? blocks[0]
  if (first === undefined || blocks.length !== text.split('-----BEGIN ').length - 1)
    throw new CommandFailed('The file holds PEM that is damaged or not whole.')
  readKey(first)
  return blocks.map(readKey)
}
