// A secret as it may come to be written somewhere, so that a test can look for it.

const inBase64 = (secret: Buffer): readonly string[] =>
  // In its three alignments, without the characters that the bytes around it have a part in.
  [0, 1, 2].map(shift =>
    Buffer.concat([Buffer.alloc(shift), secret])
      .toString('base64')
      .slice(4, -4),
  )

/** The bytes in base64 and base64url, inside of whatever else is encoded with them, and in hex. */
export const spellingsOfBytes = (secret: Buffer): readonly string[] => {
  const base64 = inBase64(secret)
  const base64url = base64.map(text => text.replaceAll('+', '-').replaceAll('/', '_'))
  return [secret.toString('hex'), secret.toString('hex').toUpperCase(), ...base64, ...base64url]
}

/** The secret as it is, percent-encoded, as a form has it, and as {@link spellingsOfBytes}. */
export const spellingsOf = (secret: string): readonly string[] => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams({ secret }).toString().slice('secret='.length),
  ...spellingsOfBytes(Buffer.from(secret)),
]
