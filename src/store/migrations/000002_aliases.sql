-- Which track a title and an artist mean, so that a song met before costs no second search of a daily quota.
-- oldest-compatible: 1

create table tracks (
  id         text primary key,
  data       text not null,
  updated_at integer not null
) strict, without rowid;

create table aliases (
  key        text primary key,
  track_id   text not null references tracks (id),
  title      text not null,
  artist     text not null,
  album      text,
  source     text not null check (source in ('learned', 'person')),
  updated_at integer not null
) strict, without rowid;

create index aliases_age on aliases (source, updated_at);
