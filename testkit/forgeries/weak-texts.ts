// Weaknesses of a JWT as a text: its signature, its spelling, its form.
import { createHash } from 'node:crypto'
import {
  encrypted,
  type Forgeries,
  type Genuine,
  partsOf,
  resigned,
  respelled,
  signedByAttacker,
  uneven,
  unsigned,
  withSignature,
  withSurplusBit,
} from './forgeries.ts'

const bytesOf = (signature: string): Buffer => Buffer.from(signature, 'base64url')
const zeros = (bytes: number) => (): string => Buffer.alloc(bytes).toString('base64url')

const signatures: Forgeries = {
  'an empty signature': genuine => withSignature(genuine, () => ''),
  'no signature and no dot': genuine => partsOf(genuine).slice(0, 2).join('.'),
  'a signature of white space': genuine => withSignature(genuine, () => '    '),
  'a signature of padding': genuine => withSignature(genuine, () => '===='),
  'a signature of one byte': genuine => withSignature(genuine, zeros(1)),
  'a signature of zeros': genuine => withSignature(genuine, signature => zeros(bytesOf(signature).length)()),
  'a signature of ones': genuine =>
    withSignature(genuine, signature => Buffer.alloc(bytesOf(signature).length, 255).toString('base64url')),
  'a signature one byte short': genuine =>
    withSignature(genuine, signature => bytesOf(signature).subarray(0, -1).toString('base64url')),
  'a signature one byte long': genuine =>
    withSignature(genuine, signature => Buffer.concat([bytesOf(signature), Buffer.of(0)]).toString('base64url')),
  'a signature with one bit other': genuine =>
    withSignature(genuine, signature => {
      const bytes = bytesOf(signature)
      bytes[10] = (bytes[10] ?? 0) ^ 1
      return bytes.toString('base64url')
    }),
  'a signature of the same key over other claims': genuine =>
    withSignature(genuine, () => resigned(genuine, { claims: { nonce: 'x' } }).split('.')[2] ?? ''),
  'a signature by another key': genuine => signedByAttacker(genuine, {}),
  'the word null for a signature': genuine => withSignature(genuine, () => 'null'),
}

const duplicates: Forgeries = {
  'alg twice, the genuine one last': genuine =>
    respelled(genuine, { header: json => json.replace('{', '{"alg":"none",') }),
  'alg twice, the genuine one first': genuine =>
    respelled(genuine, { header: json => json.replace(/}$/, ',"alg":"none"}') }),
  'alg twice, once escaped': genuine =>
    respelled(genuine, { header: json => json.replace('{', String.raw`{"\u0061lg":"none",`) }),
  'kid twice': genuine => respelled(genuine, { header: json => json.replace('{', '{"kid":"attacker",') }),
  'typ twice': genuine => respelled(genuine, { header: json => json.replace('{', '{"typ":"at+jwt","typ":"JWT",') }),
}

const inPart = (index: number, change: (part: string) => string) => (genuine: Genuine) =>
  partsOf(genuine)
    .map((part, n) => (n === index ? change(part) : part))
    .join('.')

const PART_SPELLINGS: Readonly<Record<string, (part: string) => string>> = {
  padding: part => `${part}=`,
  'two paddings': part => `${part}==`,
  'a space inside': part => `${part.slice(0, 9)} ${part.slice(9)}`,
  'a tab inside': part => `${part.slice(0, 9)}\t${part.slice(9)}`,
  'a character outside the alphabet': part => `${part.slice(0, 9)}*${part.slice(9)}`,
  'nothing in it': () => '',
}

const partSpellings: Forgeries = Object.fromEntries(
  ['header', 'payload'].flatMap((name, index) =>
    Object.entries(PART_SPELLINGS).map(([what, change]) => [`${what} in the ${name}`, inPart(index, change)]),
  ),
)

// The same bits. Each of them seen accepted by at least one of jose 6, Authlib and python-jose.
export const SIGNATURE_SPELLINGS: Forgeries = {
  'padding in the signature': genuine => withSignature(genuine, signature => `${signature}==`),
  'what follows padding in the signature': genuine => withSignature(genuine, signature => `${signature}==AAAA`),
  'two thousand paddings in the signature': genuine =>
    withSignature(genuine, signature => signature + '='.repeat(2000)),
  'white space in the signature': genuine =>
    withSignature(genuine, signature => signature.slice(0, 40) + ' '.repeat(8000) + signature.slice(40)),
  "the other alphabet's characters in the signature": genuine =>
    withSignature(genuine, signature => `${signature.replaceAll('-', '+').replaceAll('_', '/')}==`),
  'surplus bits in the signature': genuine => withSignature(genuine, withSurplusBit),
}

const encodings: Forgeries = {
  ...partSpellings,
  'surplus bits in the header': genuine => {
    const [header = '', ...rest] = respelled(genuine, { header: uneven }).split('.')
    return [withSurplusBit(header), ...rest].join('.')
  },
  'surplus bits in the payload': genuine => {
    const [header = '', payload = '', signature = ''] = respelled(genuine, { claims: uneven }).split('.')
    return [header, withSurplusBit(payload), signature].join('.')
  },
  'a fourth part': genuine => `${partsOf(genuine).join('.')}.AAAA`,
  'an empty fourth part': genuine => `${partsOf(genuine).join('.')}.`,
  'a dot before it': genuine => `.${partsOf(genuine).join('.')}`,
  'a byte order mark in the header': genuine => respelled(genuine, { header: json => `\uFEFF${json}` }),
  'a header that is an array': genuine => respelled(genuine, { header: json => `[${json}]` }),
  'a payload that is an array': genuine => respelled(genuine, { claims: json => `[${json}]` }),
  'a payload that is a string': genuine => respelled(genuine, { claims: JSON.stringify }),
}

const serialization = (genuine: Genuine, members: (parts: readonly [string, string, string]) => object): string =>
  JSON.stringify(members(partsOf(genuine)))

const forms: Forgeries = {
  'JSON serialization, flattened': genuine =>
    serialization(genuine, ([header, payload, signature]) => ({ protected: header, payload, signature })),
  'JSON serialization, general': genuine =>
    serialization(genuine, ([header, payload, signature]) => ({
      payload,
      signatures: [{ protected: header, signature }],
    })),
  'JSON serialization with an unprotected header': genuine =>
    serialization(genuine, ([, payload, signature]) => ({ header: genuine.header, payload, signature })),
  'JSON serialization with a signature that nobody checks': genuine =>
    serialization(genuine, ([header, payload, signature]) => ({
      payload,
      signatures: [{ header: { alg: 'none' } }, { protected: header, signature }],
    })),
  'JSON serialization in base64url': genuine =>
    Buffer.from(
      serialization(genuine, ([header, payload, signature]) => ({ protected: header, payload, signature })),
    ).toString('base64url'),
  'a JWE around the claims': genuine => encrypted({}, secretOf(genuine), JSON.stringify(genuine.claims)),
  'a JWE around the JWT': genuine => encrypted({ cty: 'JWT' }, secretOf(genuine), partsOf(genuine).join('.')),
  'a JWE around a JWT with alg none': genuine =>
    encrypted({ cty: 'JWT' }, secretOf(genuine), unsigned(genuine, { alg: 'none' }, '')),
  'a JWE whose alg is none': genuine => encrypted({ alg: 'none' }, secretOf(genuine), partsOf(genuine).join('.')),
  'the JWT in the payload of another': genuine =>
    resigned({ ...genuine, claims: { jwt: partsOf(genuine).join('.') } }, { header: { cty: 'JWT' } }),
}

const secretOf = ({ key }: Genuine): Buffer => createHash('sha256').update(JSON.stringify(key.jwk)).digest()

export const TEXT_WEAKNESSES: Forgeries = { ...signatures, ...duplicates, ...encodings, ...forms }
