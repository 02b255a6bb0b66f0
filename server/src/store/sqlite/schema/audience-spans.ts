// The eleventh schema: when tokens of an audience set were issued. docs/storage.md.

/** The spans of the tokens that are there. */
export const EARLIER_AUDIENCE_SPANS = `
insert into audience_span
  select aud, substr(id, 1, 3) from token where true union select aud, substr(id, 1, 3) from ended where true
  on conflict do nothing`

// Triggers keep it, so that no program that issues a token, yesterday's included, can leave a span out.
export const AUDIENCE_SPANS = `
create table audience_span (       -- a span of time in which tokens of an audience set were issued
  aud integer not null,
  span blob not null,              -- the first three bytes of their ids: 2 ** 24 ms
  primary key (aud, span)
) strict, without rowid;
create index audience_span_old on audience_span (span);
${EARLIER_AUDIENCE_SPANS};

create trigger audience_span_of_token after insert on token begin
  insert into audience_span values (new.aud, substr(new.id, 1, 3)) on conflict do nothing;
end;
create trigger audience_span_of_ended after insert on ended begin
  insert into audience_span values (new.aud, substr(new.id, 1, 3)) on conflict do nothing;
end;
`
