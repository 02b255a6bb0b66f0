// Acts that share a transaction share no fault: where its commit fails for one of them, the others are done.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { act, createAgent, isPostgresTested, issue, makeTestStore } from '../../../../testkit/stores/store.ts'
import { countRows, readRows, withFile } from '../../../../testkit/stores/store-file.ts'

const TABLE = 'create table spoilt (n integer references agent (n) deferrable initially deferred)'

/** From now on no transaction can be committed that has written the audit of an act on this token. */
const spoilCommitsOf = (file: string, id: string): void =>
  withFile(file, db => {
    db.exec(TABLE)
    if (!isPostgresTested()) {
      db.exec(`create trigger spoil after insert on audit when new.subject = '${id}'
        begin insert into spoilt (n) values (-1); end`)
      return
    }
    db.exec(`create function spoil() returns trigger language plpgsql as $$
      begin if new.subject = '${id}' then insert into spoilt (n) values (-1); end if; return new; end $$`)
    db.exec('create trigger spoil after insert on audit for each row execute function spoil()')
  })

test('a commit that fails for one of many ends fails that one alone, and ends none twice', async t => {
  const { store, file, dispose } = await makeTestStore()
  t.after(dispose)
  const agent = await createAgent(store)
  const tokens = await issue(store, agent, ...Array.from({ length: 6 }, () => ({})))
  const culprit = tokens[3]
  assert.ok(culprit)
  spoilCommitsOf(file, culprit.id)
  const ends = tokens.map(token => store.ledger.end(token, 'manual_revocation', act('token.revoke')))
  const outcomes = await Promise.allSettled(ends)
  assert.deepEqual(
    outcomes.map(one => (one.status === 'fulfilled' ? one.value : 'failed')),
    ['ended', 'ended', 'ended', 'failed', 'ended', 'ended'],
  )
  const audited = readRows(file, `select subject from audit where kind = 'token.revoke'`).map(row =>
    String(row['subject']),
  )
  const others = tokens.filter(token => token !== culprit).map(({ id }) => id)
  assert.deepEqual(audited.toSorted(), others.toSorted())
  assert.equal(countRows(file, 'ended'), 5)
  assert.equal((await store.ledger.find([culprit]))[0]?.dead, false)
})
