// The network of an address, where callers share what is limited.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from '../../src/domain/source.ts'

test('addresses of IPv6 that share their first 64 bits are one network, and no others are', () => {
  const networks = {
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:db8:1:2::1': '2001:db8:1:2::/64',
    '2001:db8:1:2::': '2001:db8:1:2::/64',
    '2001:db8:1:3::1': '2001:db8:1:3::/64',
    '2001:db8::1:2:3:4': '2001:db8:0:0::/64',
    '2001:db8::1': '2001:db8:0:0::/64',
    '1::5:6:7:8': '1:0:0:0::/64',
    '::1': '0:0:0:0::/64',
    '::': '0:0:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
  }
  for (const [address, network] of Object.entries(networks)) assert.equal(networkOf(address), network, address)
})

test('an IPv4 address is a network of its own, and so is what is no address', () => {
  for (const text of ['192.0.2.1', 'unknown', '']) assert.equal(networkOf(text), text)
})
