-- The state of one home. Times are Unix milliseconds; truth is 0 or 1; texts that are objects or lists are JSON. A program that
-- was never released wrote the versions below 19, and such a file is refused.
-- oldest-compatible: 19

create table meta (
  name  text primary key,
  value any not null
) strict, without rowid;

-- Values that are encrypted with the master key: tokens, the API key.
create table secrets (
  name       text primary key,
  sealed     blob not null,
  updated_at integer not null
) strict, without rowid;

-- The connected account, at most one.
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

-- Until when a kind of requests is blocked, and how many were sent in each minute of the last day.
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

-- Errors of the provider, one row for each kind.
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
create unique index api_errors_kind
  on api_errors (method, path, ifnull(status_code, 0), ifnull(reason, ''), provider);
create index api_errors_recent on api_errors (last_seen_at);

-- Matches: which track a title, artist and album meant, found by search or chosen by a person.
create table aliases (
  key        text primary key,
  track_id   text not null,
  track      text not null,
  title      text not null,
  artist     text not null,
  album      text,
  source     text not null check (source in ('learned', 'person')),
  updated_at integer not null,
  settled_by text,
  confirmed  integer not null default 0 check (confirmed in (0, 1))
) strict, without rowid;
create index aliases_age on aliases (source, updated_at);

-- MCP clients, their grants and tokens. Secrets, codes and tokens are stored as hashes.
create table oauth_clients (
  client_id     text primary key,
  name          text,
  secret_hash   text,
  auth_method   text check (auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
  redirect_uris text not null,
  grant_types   text not null,
  source        text not null check (source in ('registered', 'added')),
  created_at    integer not null,
  last_used_at  integer,
  approved_at   integer
) strict, without rowid;

create table oauth_grants (
  id              text primary key,
  client_id       text not null,
  redirect_uri    text not null,
  code_challenge  text not null,
  resource        text not null,
  scope           text not null,
  access          text not null,
  code_hash       text not null unique,
  code_expires_at integer not null,
  code_used_at    integer,
  created_at      integer not null,
  last_used_at    integer,
  refreshed       integer not null default 0
) strict, without rowid;
create index oauth_grants_client on oauth_grants (client_id);

create table oauth_tokens (
  hash       text primary key,
  grant_id   text not null references oauth_grants (id) on delete cascade,
  kind       text not null check (kind in ('access', 'refresh')),
  issued_at  integer not null,
  expires_at integer not null,
  rotated_at integer,
  generation integer not null default 1
) strict, without rowid;
create index oauth_tokens_grant on oauth_tokens (grant_id);
create index oauth_tokens_expiry on oauth_tokens (expires_at);

-- Browsers that prove the owner.
create table browsers (
  id           text primary key,
  hash         text not null unique,
  origin       text not null,
  label        text not null,
  created_at   integer not null,
  last_used_at integer not null,
  expires_at   integer not null
) strict, without rowid;

-- Works: every write with what was there before it, and every list that is looked up before it is written.
create table works (
  seq             integer primary key,
  id              text not null unique,
  kind            text not null,
  account         text,
  playlist_id     text,
  asked_by        text not null,
  undoes          integer,
  batch           text,
  status          text not null,
  phase           text not null check (phase in ('resolve', 'commit')),
  listed          integer not null default 0 check (listed in (0, 1)),
  payload         text not null,
  max_attempts    integer not null,
  total_items     integer not null default 0,
  attempts        integer not null default 0,
  failures        integer not null default 0,
  run_after       integer,
  reason          text,
  review_required integer not null default 0 check (review_required in (0, 1)),
  error           text,
  result          text,
  outcome         text,
  step            integer not null default 0,
  sending         integer not null default 0 check (sending in (0, 1)),
  going_back      integer not null default 0 check (going_back in (0, 1)),
  uncertain       integer not null default 0 check (uncertain in (0, 1)),
  replan          integer not null default 0 check (replan in (0, 1)),
  requested       integer not null default 0,
  written         integer not null default 0,
  snapshot_id     text,
  created_at      integer not null,
  updated_at      integer not null,
  started_at      integer,
  completed_at    integer,
  -- Compressed JSON; null before the write begins, and once it is no longer kept.
  body            blob
) strict;
create index works_due on works (status, phase, seq);
create index works_playlist on works (playlist_id, seq);
create index works_undoes on works (undoes) where undoes is not null;
create index works_batch on works (batch) where batch is not null;

create table items (
  work       integer not null references works (seq) on delete cascade,
  position   integer not null,
  input      text not null,
  key        text,
  uri        text,
  status     text not null,
  track      text,
  candidates text,
  error      text,
  attempts   integer not null default 0,
  run_after  integer,
  confirmed  integer not null default 0 check (confirmed in (0, 1)),
  primary key (work, position)
) strict;
create index items_status on items (work, status);
create index items_pending on items (work, position) where status = 'pending';
create index items_key on items (work, key) where status = 'pending';
create index items_matched on items (work, position) where status = 'matched';
create index items_tried on items (work, run_after) where status = 'pending' and run_after is not null;

-- Names and covers of playlists, as Spotify last told them.
create table playlist_names (
  id      text primary key not null,
  name    text not null,
  seen_at integer not null,
  cover   text
) strict, without rowid;

-- Playlists that follow a query.
create table keeps (
  seq          integer primary key,
  id           text not null unique,
  account      text not null,
  playlist_id  text unique,
  name         text not null,
  rule         text,
  query        text,
  every        text not null check (every in ('hour', 'day', 'week')),
  status       text not null check (status in ('active', 'waiting', 'review', 'paused')),
  reason       text,
  preview      text,
  accepted     integer,
  left_rows    text,
  gone         text not null,
  last_result  text,
  last_change  text,
  failures     integer not null default 0,
  last_run_at  integer,
  due_at       integer not null,
  retry_at     integer,
  created_at   integer not null,
  check ((rule is null) <> (query is null))
) strict;
