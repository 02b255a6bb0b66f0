// What the console shows of how an agent gets a token: the credential that it has, and a scope that it may ask for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { scopeToAsk, snippetsFor } from '../src/agents/snippet-texts.ts'

const VALUES = { baseUrl: 'https://auth.example.com', clientId: 'reports', scope: 'db:read' }

const textsFor = (kind: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(snippetsFor([{ kind, revoked_at: null }])).map(([language, text]) => [language, text(VALUES)]),
  )

test('the scope of a snippet is one that can be asked for: no pattern', () => {
  for (const [scope, fallback, asked] of [
    ['db:read db:*', null, 'db:read'],
    ['db:* mail:send', 'db:read', 'db:read'],
    ['db:*', null, 'db:ACTION'],
    ['db:* mail:*', null, 'db:ACTION mail:ACTION'],
  ] as const) {
    assert.equal(scopeToAsk({ scope, default_scope: fallback }), asked)
  }
})

test('each kind of credential has snippets of its own, and only a secret has one with a secret', () => {
  assert.deepEqual(Object.keys(textsFor('client_secret')), ['curl', 'Node', 'Python', 'Go', 'MCP'])
  for (const [kind, sign] of [
    ['private_key_jwt', /private-?key-?file/i],
    ['workload_identity', /workload-?token-?file/i],
    ['tls_client_auth', /--cert client\.crt --key client\.key/],
    ['self_signed_tls_client_auth', /--cert client\.crt --key client\.key/],
  ] as const) {
    const texts = Object.values(textsFor(kind))
    assert.ok(
      texts.length > 0 && texts.every(text => sign.test(text) && !/secret\b/i.test(text.replace('secrets/', ''))),
    )
  }
  const revoked = snippetsFor([
    { kind: 'client_secret', revoked_at: '2026-11-21T09:30:00.000Z' },
    { kind: 'private_key_jwt', revoked_at: null },
  ])
  assert.deepEqual(Object.keys(revoked), ['Node', 'MCP'])
})

test('the command of a snippet reads the variables that it sets', () => {
  const source = readFileSync(join(import.meta.dirname, '../../server/src/config/agent.ts'), 'utf8')
  const set = [...(textsFor('client_secret')['MCP'] ?? '').matchAll(/\b(MINTMARK_\w+)=/g)].map(([, name = '']) => name)
  assert.deepEqual(set, ['MINTMARK_URL', 'MINTMARK_CLIENT_ID', 'MINTMARK_CLIENT_SECRET'])
  for (const name of set) assert.ok(source.includes(`'${name}'`), name)
})

test('an id of a client that a shell would run stays an argument', () => {
  const hostile = { ...VALUES, clientId: 'a"; rm -rf ~ #\'$(id)`id`' }
  const texts = Object.entries(snippetsFor([]))
  for (const [language, text] of texts) {
    const shown = text(hostile)
    if (language === 'curl' || language === 'MCP') assert.ok(shown.includes(String.raw`a"; rm -rf ~ #'\''$(id)`), shown)
    else assert.ok(shown.includes(JSON.stringify(hostile.clientId)), shown)
  }
})
