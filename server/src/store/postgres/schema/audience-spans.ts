// The tenth schema: when tokens of an audience set were issued. docs/storage.md.

const SPANS = 'select distinct aud, substring(uuid_send(id) from 1 for 3)'

// Triggers keep it, so that no program that issues a token, yesterday's included, can leave a span out. In one order: of two
// that meet the same new spans neither waits for the other in turn.
export const AUDIENCE_SPANS = `
create table audience_span (                 -- a span of time in which tokens of an audience set were issued
  aud integer not null,
  span bytea not null,                       -- the first three bytes of their ids: 2 ** 24 ms
  primary key (aud, span)
);
create index audience_span_old on audience_span (span);

create function mintmark_audience_span() returns trigger language plpgsql as $$
begin
  insert into audience_span ${SPANS} from written w
    where not exists (select 1 from audience_span s where s.aud = w.aud and s.span = substring(uuid_send(w.id) from 1 for 3))
    order by 1, 2 on conflict do nothing;
  return null;
end $$;
create trigger audience_span_of_token after insert on token
  referencing new table as written for each statement execute function mintmark_audience_span();
create trigger audience_span_of_ended after insert on ended
  referencing new table as written for each statement execute function mintmark_audience_span();
`

/** The spans of the tokens that were there before. */
export const EARLIER_AUDIENCE_SPANS = `
insert into audience_span select * from (${SPANS} from token union ${SPANS} from ended) as earlier order by 1, 2
  on conflict do nothing
`
