// Made by "npm run gen" from src/store/migrations/*.sql.

export const MIGRATIONS = [
  {
    version: 1,
    name: '000001_init',
    oldestCompatible: 1,
    sql: `-- The first schema: who is connected, what is sealed, and what the provider allows and refuses.
-- oldest-compatible: 1

create table meta (
  name  text primary key,
  value any not null
) strict, without rowid;

create table secrets (
  name       text primary key,
  sealed     blob not null,
  updated_at integer not null
) strict, without rowid;

create table account (
  id                       integer primary key check (id = 1),
  provider_user_id         text not null,
  account_id               text,
  display_name             text,
  scopes                   text not null,
  consent_at               integer not null,
  login_expires_at         integer not null,
  access_expires_at        integer,
  reauthorization_required integer not null default 0 check (reauthorization_required in (0, 1)),
  reauthorization_reason   text,
  updated_at               integer not null
) strict;

create table rate_limits (
  provider      text not null,
  scope         text not null,
  blocked_until integer,
  reason        text,
  last_status   integer,
  updated_at    integer not null,
  primary key (provider, scope)
) strict, without rowid;

create table request_counts (
  minute integer not null,
  scope  text not null,
  count  integer not null check (count > 0),
  primary key (minute, scope)
) strict, without rowid;

create table api_errors (
  id            integer primary key,
  provider      text not null,
  scope         text not null,
  method        text not null,
  path          text not null,
  status_code   integer,
  code          text not null,
  reason        text,
  message       text not null,
  occurrences   integer not null default 1 check (occurrences > 0),
  first_seen_at integer not null,
  last_seen_at  integer not null,
  resolved_at   integer
) strict;

-- null is a value here: a failure without an answer has no status.
create unique index api_errors_kind
  on api_errors (method, path, ifnull(status_code, 0), ifnull(reason, ''), provider);

create index api_errors_recent on api_errors (last_seen_at);
`,
  },
  {
    version: 2,
    name: '000002_aliases',
    oldestCompatible: 1,
    sql: `-- Which track a title and an artist mean, so that a song met before costs no second search of a daily quota.
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
`,
  },
];
