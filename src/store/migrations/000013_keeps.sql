-- Kept playlists: a query whose result a playlist follows.
-- oldest-compatible: 8

create table keeps (
  seq          integer primary key,
  id           text not null unique,
  account      text not null,
  playlist_id  text unique,
  name         text not null,
  query        text not null,
  every        text not null check (every in ('hour', 'day', 'week')),
  status       text not null check (status in ('active', 'waiting', 'review', 'paused')),
  reason       text,
  preview      text,
  accepted     integer,
  left_rows    blob,
  gone         text not null,
  written      text not null,
  last_result  text,
  last_change  text,
  settled      integer not null default 0 check (settled in (0, 1)),
  failures     integer not null default 0,
  last_run_at  integer,
  due_at       integer not null,
  retry_at     integer,
  created_at   integer not null
) strict;
