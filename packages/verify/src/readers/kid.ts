// The form of a kid. One that the service gives is the RFC 7638 thumbprint; an imported key keeps its own.

export const KID_FORM = '1 to 128 printable ASCII characters without spaces'
export const KID_PATTERN = '^[\\x21-\\x7E]{1,128}$'

const KID = new RegExp(KID_PATTERN)

export const isKid = (text: string): boolean => KID.test(text)
