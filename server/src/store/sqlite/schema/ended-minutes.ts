// The second schema: when the tokens that ended in a minute were issued.

// A trigger keeps it, so that no program that ends a token, yesterday's included, can leave a minute out.
export const ENDED_MINUTES = `
create table ended_minute (        -- a minute in which tokens were ended
  minute integer primary key,      -- of \`ended.at\`, since 1970
  oldest blob not null,            -- no token that was ended in it has a smaller id
  newest blob not null             -- nor a greater one
) strict;

insert into ended_minute select at / 60000, id, id from ended indexed by ended_reason where true
  on conflict (minute) do update set oldest = min(oldest, excluded.oldest), newest = max(newest, excluded.newest);

create trigger ended_minute_kept after insert on ended begin
  insert into ended_minute values (new.at / 60000, new.id, new.id)
    on conflict (minute) do update set oldest = min(oldest, excluded.oldest), newest = max(newest, excluded.newest);
end;
`
