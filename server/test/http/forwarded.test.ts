// Forwarded (RFC 7239) and X-Forwarded-For: whom trusted proxies name, and what nobody else can say.
import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../../testkit/parsers/hostile-inputs.ts'
import { hopsOfForwarded, hopsOfForwardedFor } from '../../src/http/wire/forwarded.ts'
import { makeNetworks } from '../../../packages/gateway/src/process/networks.ts'
import { makeSourceReader } from '../../src/http/wire/source.ts'

const FORWARDED_HOPS_MAX = 32

const forwarded = (value: string): readonly string[] => [...hopsOfForwarded(value)]
const forwardedFor = (value: string): readonly string[] => [...hopsOfForwardedFor(value)]

test('Forwarded names its addresses from the last, in every form of RFC 7239', () => {
  const read: Readonly<Record<string, readonly string[]>> = {
    'for=192.0.2.60': ['192.0.2.60'],
    'For="[2001:db8:cafe::17]:4711"': ['2001:db8:cafe::17'],
    'for=192.0.2.60;proto=http;by=203.0.113.43': ['192.0.2.60'],
    'proto=http; for="192.0.2.60:80" ;by=_hidden': ['192.0.2.60'],
    'for=192.0.2.43, for=198.51.100.17': ['198.51.100.17', '192.0.2.43'],
    'for="[2001:DB8:0:0::1]:_port",\tfor=192.0.2.1': ['192.0.2.1', '2001:db8::1'],
    'for=192.0.2.1;host="a\\", for=203.0.113.9;x=\\"",for=192.0.2.2': ['192.0.2.2', '192.0.2.1'],
    'for=192.0.2.1;host="a,b;c",for=192.0.2.2': ['192.0.2.2', '192.0.2.1'],
  }
  for (const [value, addresses] of Object.entries(read)) assert.deepEqual(forwarded(value), addresses, value)
})

const MALFORMED_ELEMENTS = [
  'for=unknown',
  'for=_hidden',
  'for="_SEVKISEK:80"',
  'by=192.0.2.9',
  'for=192.0.2.9;for=192.0.2.8',
  'for=192.0.2.9:80',
  'for=[2001:db8::9]',
  'for="2001:db8::9"',
  'for="[192.0.2.9]"',
  'for="[fe80::1%eth0]"',
  'for="192.0.2.9:port"',
  'for="192.0.2.9',
  'for=192.0.2.9"',
  'for="\\192.0.2.9"',
  'for=192.0.2.999',
  'for=010.0.2.9',
  'for =192.0.2.9',
  'for=192.0.2.9;',
  '',
]

test('an element of Forwarded that names no address ends what counts', () => {
  for (const element of MALFORMED_ELEMENTS) {
    assert.deepEqual(forwarded(`for=203.0.113.9,${element},for=192.0.2.1`), ['192.0.2.1'], element)
    assert.deepEqual(forwarded(element), [], element)
  }
})

test('X-Forwarded-For names its addresses from the last, and an element that is none ends what counts', () => {
  assert.deepEqual(forwardedFor('192.0.2.1'), ['192.0.2.1'])
  assert.deepEqual(forwardedFor('192.0.2.1:8080 ,\t2001:DB8::1, [2001:db8::2]:443,[2001:db8::3]'), [
    '2001:db8::3',
    '2001:db8::2',
    '2001:db8::1',
    '192.0.2.1',
  ])
  for (const element of ['unknown', '', 'a', '192.0.2', '"192.0.2.9"', '_x', 'fe80::1%eth0', '192.0.2.9:', '::1]:80']) {
    assert.deepEqual(forwardedFor(`203.0.113.9,${element},192.0.2.1`), ['192.0.2.1'], element)
  }
})

test('as many elements are read as the bound says', () => {
  const many = (count: number): string => Array.from({ length: count }, () => '192.0.2.1').join(',')
  for (const count of [FORWARDED_HOPS_MAX - 1, FORWARDED_HOPS_MAX, FORWARDED_HOPS_MAX + 1]) {
    assert.equal(forwardedFor(many(count)).length, Math.min(count, FORWARDED_HOPS_MAX))
  }
})

const address = fc.oneof(fc.ipV4(), fc.ipV6())
const anyHeader = fc.oneof(
  fc.string({ unit: anyCodePoint, maxLength: 200 }),
  fc
    .array(fc.constantFrom('for=', '"', ',', ';', '\\', '\\"', '192.0.2.9', '[2001:db8::9]', ':80', ' ', 'by=', '_x'))
    .map(parts => parts.join('')),
)

test('whatever is in a header, what is read of it are addresses, and nothing is thrown', () => {
  fc.assert(
    fc.property(anyHeader, value => {
      for (const one of [...forwarded(value), ...forwardedFor(value)]) assert.ok(isIP(one) > 0, one)
    }),
    { numRuns: 5000 },
  )
})

test('whatever a caller sends, the element that a proxy adds is read as it was written', () => {
  const isProxy = makeNetworks(['10.0.0.0/8'])
  const sourceOf = makeSourceReader(isProxy)
  const socket = { remoteAddress: '10.0.0.1' }
  fc.assert(
    fc.property(anyHeader, address, fc.boolean(), (sent, own, hasHost) => {
      fc.pre(!isProxy(own))
      const [expected] = forwardedFor(own)
      const node = isIP(own) === 4 ? own : `"[${own}]"`
      const element = `for=${node}${hasHost ? ';host="a.example";proto=https' : ''}`
      for (const headers of [{ forwarded: `${sent}, ${element}` }, { 'x-forwarded-for': `${sent}, ${own}` }]) {
        assert.equal(sourceOf({ raw: { headers, socket } }), expected)
      }
    }),
    { numRuns: 5000 },
  )
})

test('a header of 16 kB is read in time that grows with its length alone', () => {
  for (const part of ['\\', '"', '\\"', ';', ',', 'for=', ' ', 'for="', ':', '[']) {
    const value = part.repeat(16_384 / part.length)
    forwarded(value)
    forwardedFor(value)
    forwarded(`${value},for=192.0.2.1`)
    forwarded(`for="${value}"`)
  }
})

const sourceFor = (proxies: readonly string[], remoteAddress: string | undefined, headers: Record<string, string>) =>
  makeSourceReader(makeNetworks(proxies))({ raw: { headers, socket: { remoteAddress } } })

const PROXIES = ['10.0.0.0/8', '2001:db8:ffff::/48']

test('the caller is the last address that is no trusted proxy, and only where the connection is of one', () => {
  const rows: readonly (readonly [string | undefined, Record<string, string>, string])[] = [
    ['192.0.2.7', { 'x-forwarded-for': '203.0.113.9' }, '192.0.2.7'],
    ['192.0.2.7', { forwarded: 'for=203.0.113.9' }, '192.0.2.7'],
    ['10.0.0.1', {}, '10.0.0.1'],
    ['10.0.0.1', { 'x-forwarded-for': '203.0.113.9' }, '203.0.113.9'],
    ['::ffff:10.0.0.1', { 'x-forwarded-for': '203.0.113.9' }, '203.0.113.9'],
    ['::ffff:192.0.2.7', {}, '192.0.2.7'],
    ['::ffff:10.0.0.1', {}, '10.0.0.1'],
    ['10.0.0.1', { 'x-forwarded-for': '::FFFF:203.0.113.9' }, '203.0.113.9'],
    ['10.0.0.1', { forwarded: 'for="[::ffff:cb00:7109]"' }, '203.0.113.9'],
    ['10.0.0.1', { 'x-forwarded-for': '203.0.113.9, ::ffff:10.9.9.9' }, '203.0.113.9'],
    ['2001:db8:ffff::1', { forwarded: 'for="[2001:db8::9]"' }, '2001:db8::9'],
    ['10.0.0.1', { 'x-forwarded-for': '198.51.100.1, 203.0.113.9, 10.9.9.9' }, '203.0.113.9'],
    ['10.0.0.1', { 'x-forwarded-for': '10.0.0.3, 10.0.0.2' }, '10.0.0.3'],
    ['10.0.0.1', { 'x-forwarded-for': '198.51.100.1, unknown, 10.0.0.2' }, '10.0.0.2'],
    ['10.0.0.1', { forwarded: 'for=198.51.100.1, for=unknown' }, '10.0.0.1'],
    ['10.0.0.1', { forwarded: 'for=_hidden' }, '10.0.0.1'],
    ['10.0.0.1', { forwarded: '', 'x-forwarded-for': '' }, '10.0.0.1'],
    // One of both headers may be of the caller: they count where they agree.
    ['10.0.0.1', { forwarded: 'for=203.0.113.9', 'x-forwarded-for': '203.0.113.9' }, '203.0.113.9'],
    ['10.0.0.1', { forwarded: 'for=198.51.100.1', 'x-forwarded-for': '203.0.113.9' }, '10.0.0.1'],
    ['10.0.0.1', { forwarded: 'for=unknown', 'x-forwarded-for': '203.0.113.9' }, '10.0.0.1'],
    // The connection has gone.
    [undefined, { 'x-forwarded-for': '203.0.113.9' }, 'unknown'],
    [undefined, {}, 'unknown'],
  ]
  for (const [peer, headers, expected] of rows) {
    assert.equal(sourceFor(PROXIES, peer, headers), expected, `${peer} ${JSON.stringify(headers)}`)
  }
})

test('the callers of very many different headers are read as those of the first', () => {
  const sourceOf = makeSourceReader(makeNetworks(PROXIES))
  const read = (peer: string, headers: Readonly<Record<string, string>>) =>
    sourceOf({ raw: { headers, socket: { remoteAddress: peer } } })
  for (let n = 0; n < 20_000; n += 1) {
    const caller = `203.0.${n >> 8}.${n & 255}`
    for (let again = 0; again < 2; again += 1) {
      assert.equal(read('10.0.0.1', { 'x-forwarded-for': caller }), caller)
      // The same text in the other header, and of another peer, is another question.
      assert.equal(read('10.0.0.2', { forwarded: caller }), '10.0.0.2')
      assert.equal(read('10.0.0.3', { forwarded: caller }), '10.0.0.3')
      assert.equal(read('192.0.2.1', { 'x-forwarded-for': caller }), '192.0.2.1')
    }
  }
})

test('without trusted proxies no header counts', () => {
  assert.equal(sourceFor([], '127.0.0.1', { forwarded: 'for=192.0.2.1', 'x-forwarded-for': '192.0.2.1' }), '127.0.0.1')
})

test('a connection that has gone since its first request is unknown', () => {
  const sourceOf = makeSourceReader(makeNetworks(PROXIES))
  const socket: { remoteAddress: string | undefined } = { remoteAddress: '10.0.0.1' }
  const request = { raw: { headers: { 'x-forwarded-for': '192.0.2.1' }, socket } }
  assert.equal(sourceOf(request), '192.0.2.1')
  socket.remoteAddress = undefined
  assert.equal(sourceOf(request), 'unknown')
})
