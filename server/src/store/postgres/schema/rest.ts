// The rest of the first schema: seals, counts and what must be kept for a while; and what keeps itself.

export const REST = `
create table seal (                          -- of audit entries, in the order of their numbers; docs/storage.md
  n bigint primary key,                      -- 1, 2, 3, …
  first_n bigint not null,
  last_n bigint not null,
  entries integer not null,
  head bytea not null,                       -- SHA-256 chain over every entry up to the last
  marks bytea not null,                      -- 8 bytes an entry, to tell which one is not as it was
  mac bytea not null,                        -- HMAC-SHA-256 over all the rest and the MAC of the seal before
  at bigint not null
);

create table seal_key (                      -- how seals made under a former key-encryption key are checked
  last_n bigint primary key,                 -- the last seal that this key made
  sealed_key bytea not null                  -- under the key-encryption key of now
);

create table refused (                       -- authentications that were refused, counted
  n bigint primary key generated always as identity,
  at bigint not null,                        -- the minute, as the ms at which it begins
  way text not null,                         -- domain/audit/attempt.ts
  client text not null,                      -- a client id of ours; '' for any other
  source text not null,                      -- an address; '' for all beyond the keys of a minute
  count bigint not null,
  unique (at, way, client, source)
);
create index refused_at on refused (at);

create table issue_count (                   -- of agents that may only get so many tokens
  agent integer primary key,
  minute bytea not null,                     -- tokens by slot of a second; domain/ledger/rate.ts
  day bytea not null                         -- tokens by slot of ten minutes
) with (fillfactor = 50);

create table idempotency (                   -- what an Idempotency-Key of a caller made
  actor text not null,                       -- JSON of domain/audit/act.ts Actor
  key text not null,
  kind text not null,
  subject text not null,
  at bigint not null,
  primary key (actor, key)
);
create index idempotency_at on idempotency (at);

create table used_proof (                    -- DPoP proofs and client assertions, as long as one could be sent again
  id bytea primary key,                      -- 16 bytes of SHA-256 over whose it is and its jti
  until bigint not null                      -- the last ms at which it would be taken
);
create index used_proof_until on used_proof (until);

create table workload (                      -- the subjects that credentials trust which are not revoked; none overlap
  issuer text not null,
  prefix smallint not null check (prefix in (0, 1)),   -- 1: the text is the beginning of subjects
  subject text not null,
  credential integer not null references credential,
  primary key (issuer, prefix, subject)
);
create index workload_credential on workload (credential);

create table upkeep (                        -- which of the processes keeps the store up
  one integer primary key check (one = 1),
  holder text not null,
  until bigint not null                      -- ms; from then on another may
);
insert into upkeep values (1, '', 0);

-- The time of the database in ms. The one place that asks for it: a test replaces it.
create function mintmark_now() returns bigint language sql volatile parallel safe
  return floor(extract(epoch from clock_timestamp()) * 1000)::bigint;

-- Numbers without a gap, which identity columns do not give: one that is rolled back is given again.
create function mintmark_number() returns trigger language plpgsql as $$
begin
  if new.n is null then
    update given set n = given.n + 1 where what = tg_argv[0] returning given.n into new.n;
  else
    update given set n = greatest(given.n, new.n) where what = tg_argv[0];
  end if;
  return new;
end $$;
create trigger audit_numbered before insert on audit for each row execute function mintmark_number('audit');
create trigger seal_numbered before insert on seal for each row execute function mintmark_number('seal');

-- A trigger keeps it, so that no program that ends a token, yesterday's included, can leave a minute out.
create function mintmark_ended_minute() returns trigger language plpgsql as $$
begin
  insert into ended_minute values (new.at / 60000, new.id, new.id)
    on conflict (minute) do update
    set oldest = least(ended_minute.oldest, excluded.oldest), newest = greatest(ended_minute.newest, excluded.newest);
  return null;
end $$;
create trigger ended_minute_kept after insert on ended for each row execute function mintmark_ended_minute();
`
