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
  {
    version: 3,
    name: '000003_oauth',
    oldestCompatible: 1,
    sql: `-- Which MCP clients may ask, what the owner has approved, and what came of it: only hashes of codes, tokens and secrets.
-- oldest-compatible: 1

create table oauth_clients (
  client_id     text primary key,
  name          text,
  secret_hash   text,
  auth_method   text check (auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
  redirect_uris text not null,
  grant_types   text not null,
  source        text not null check (source in ('registered', 'added')),
  created_at    integer not null,
  last_used_at  integer
) strict, without rowid;

-- client_id may also be that of a client in the settings, so it refers to no table.
create table oauth_grants (
  id              text primary key,
  client_id       text not null,
  redirect_uri    text not null,
  code_challenge  text not null,
  resource        text not null,
  scope           text not null,
  code_hash       text not null unique,
  code_expires_at integer not null,
  code_used_at    integer,
  created_at      integer not null,
  last_used_at    integer
) strict, without rowid;

create index oauth_grants_client on oauth_grants (client_id);

create table oauth_tokens (
  hash       text primary key,
  grant_id   text not null references oauth_grants (id) on delete cascade,
  kind       text not null check (kind in ('access', 'refresh')),
  issued_at  integer not null,
  expires_at integer not null,
  rotated_at integer
) strict, without rowid;

create index oauth_tokens_grant on oauth_tokens (grant_id);
create index oauth_tokens_expiry on oauth_tokens (expires_at);

create table owner_sessions (
  hash       text primary key,
  created_at integer not null,
  expires_at integer not null
) strict, without rowid;
`,
  },
  {
    version: 4,
    name: '000004_jobs',
    oldestCompatible: 1,
    sql: `-- Durable jobs: bulk work that outlives time-outs, limits, restarts and crashes, with the state of every item.
-- oldest-compatible: 1

create table jobs (
  seq             integer primary key,
  id              text not null unique,
  type            text not null,
  status          text not null,
  phase           text not null check (phase in ('resolve', 'commit')),
  account         text,
  payload         text not null,
  target_id       text,
  skips_marked    integer not null default 0 check (skips_marked in (0, 1)),
  total_items     integer not null,
  resolved        integer not null default 0,
  ambiguous       integer not null default 0,
  unmatched       integer not null default 0,
  failed          integer not null default 0,
  skipped         integer not null default 0,
  written         integer not null default 0,
  attempts        integer not null default 0,
  step_attempts   integer not null default 0,
  max_attempts    integer not null,
  run_after       integer,
  reason          text,
  review_required integer not null default 0 check (review_required in (0, 1)),
  uncertain       integer not null default 0 check (uncertain in (0, 1)),
  error           text,
  result          text,
  created_at      integer not null,
  updated_at      integer not null,
  started_at      integer,
  completed_at    integer
) strict;

create index jobs_due on jobs (status, phase, seq);

create table job_items (
  job        integer not null references jobs (seq) on delete cascade,
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
  primary key (job, position)
) strict;

create index job_items_pending on job_items (job, position) where status = 'pending';
create index job_items_key on job_items (job, key) where status = 'pending';
create index job_items_matched on job_items (job, position) where status = 'matched';

create table job_plans (
  job            integer primary key references jobs (seq) on delete cascade,
  first_position integer not null,
  base           text not null
) strict;

create table job_intents (
  job        integer primary key references jobs (seq) on delete cascade,
  intent     text not null,
  created_at integer not null
) strict;
`,
  },
  {
    version: 5,
    name: '000005_browsers',
    oldestCompatible: 5,
    sql: `-- Browsers in which the owner approves without the owner code. They replace the sessions, which a cookie proved: browsers
-- send the cookies of this host to every port of it, so those sessions are worth nothing any more and none is taken over.
-- oldest-compatible: 5

drop table owner_sessions;

create table browsers (
  id           text primary key,
  hash         text not null unique,
  origin       text not null,
  label        text not null,
  created_at   integer not null,
  last_used_at integer not null,
  expires_at   integer not null
) strict, without rowid;
`,
  },
  {
    version: 6,
    name: '000006_oauth_rotation',
    oldestCompatible: 1,
    sql: `-- Of the refresh tokens that a token gave within its grace only one chain may go on, which takes knowing who came of whom.
-- Before: rotated tokens and live ones. After: the rotated ones are generation 0, the live ones generation 1, and the
-- last generation that was exchanged is 0.
-- And a client keeps the time of its first approval when that has ended: one that never had one is a stranger. Before, only
-- its use was known.
-- oldest-compatible: 1

alter table oauth_tokens add column generation integer not null default 1;
update oauth_tokens set generation = 0 where rotated_at is not null;

alter table oauth_grants add column refreshed integer not null default 0;

alter table oauth_clients add column approved_at integer;
update oauth_clients set approved_at = ifnull(
  (select min(created_at) from oauth_grants where client_id = oauth_clients.client_id), last_used_at);
`,
  },
  {
    version: 7,
    name: '000007_changes',
    oldestCompatible: 7,
    sql: `-- Every change to a playlist, the library or a playlist's details, with what was there before, so that it survives a crash
-- and can be taken back. Jobs write through changes: their own plans and intents go. A job that was writing under an
-- earlier version stops, since nothing else knows how far it got.
-- oldest-compatible: 7

create table changes (
  seq          integer primary key,
  id           text not null unique,
  kind         text not null,
  state        text not null,
  account      text,
  playlist_id  text,
  asked_by     text not null,
  job          integer,
  undoes       integer,
  body         blob not null,
  leg          text not null default 'forward' check (leg in ('forward', 'back')),
  op           integer not null default 0,
  at           integer not null default 0,
  in_transit   integer not null default 0 check (in_transit in (0, 1)),
  uncertain    integer not null default 0 check (uncertain in (0, 1)),
  requested    integer not null,
  written      integer not null default 0,
  snapshot_id  text,
  server_time  integer,
  run_after    integer,
  reason       text,
  failures     integer not null default 0,
  error        text,
  created_at   integer not null,
  updated_at   integer not null,
  ended_at     integer
) strict;

create index changes_state on changes (state);
create index changes_playlist on changes (playlist_id, seq);
create index changes_job on changes (job);

alter table jobs rename column uncertain to carry_on;
update jobs set carry_on = 0;

update jobs set status = 'failed', completed_at = updated_at, error = json_object(
    'code', 'CONFLICT',
    'message', 'An earlier version of relay was writing this job and did not finish.',
    'remedy', 'Compare the playlist with the items of this job, and write what is missing.')
  where phase = 'commit' and status in ('committing', 'waiting');

drop table job_intents;
drop table job_plans;
`,
  },
  {
    version: 8,
    name: '000008_skipped_items',
    oldestCompatible: 8,
    sql: `-- Items of a job that a person decided to leave out are counted by themselves: they name no track, and are not open either.
-- A program of before knows no such item.
-- oldest-compatible: 8

alter table jobs add column passed_over integer not null default 0;
`,
  },
  {
    version: 9,
    name: '000009_indices',
    oldestCompatible: 8,
    sql: `-- Items that wait for another try are found without looking at ten thousand that were never tried, what takes a change back
-- without looking at every change, the aliases of a track without looking at all, and tracks are counted without reading them.
-- oldest-compatible: 8

create index job_items_tried on job_items (job, run_after) where status = 'pending' and run_after is not null;

create index changes_undoes on changes (undoes) where undoes is not null;

create index aliases_track on aliases (track_id);

create index tracks_age on tracks (updated_at);
`,
  },
  {
    version: 10,
    name: '000010_playlist_names',
    oldestCompatible: 8,
    sql: `-- Jobs and changes speak of playlists by name also when Spotify cannot be asked, or the playlist has left the account's list.
-- oldest-compatible: 8

create table playlist_names (
  id text primary key not null,
  name text not null,
  seen_at integer not null
) strict, without rowid;
`,
  },
  {
    version: 11,
    name: '000011_settled_aliases',
    oldestCompatible: 8,
    sql: `-- The owner sees who settled a remembered match, and whether it was confirmed although its names differ.
-- oldest-compatible: 8

alter table aliases add column settled_by text;
alter table aliases add column confirmed integer not null default 0 check (confirmed in (0, 1));
alter table job_items add column confirmed integer not null default 0 check (confirmed in (0, 1));
`,
  },
  {
    version: 12,
    name: '000012_covers',
    oldestCompatible: 8,
    sql: `-- The owner's page shows playlists with their covers, also after a restart, when nothing has been read yet.
-- oldest-compatible: 8

alter table playlist_names add column cover text;
`,
  },
  {
    version: 13,
    name: '000013_keeps',
    oldestCompatible: 8,
    sql: `-- Kept playlists: a query whose result a playlist follows.
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
`,
  },
  {
    version: 14,
    name: '000014_one_wait',
    oldestCompatible: 14,
    sql: `-- When a change goes on, why it waits and after how many failures is told by its job alone, so a change that waits, is under
-- review or is being cancelled has no state of its own for that. A change of a job that was deleted is no job's.
-- oldest-compatible: 14

alter table changes add column going_back integer not null default 0 check (going_back in (0, 1));
update changes set going_back = 1 where leg = 'back';

update jobs set step_attempts = coalesce(
    (select failures from changes where job = jobs.seq order by seq desc limit 1), step_attempts)
  where phase = 'commit' and status = 'waiting';

update changes set state = 'looking'
  where state = 'outcome_unknown' or (state = 'waiting' and in_transit = 1);
update changes set state = 'writing' where state in ('rolling_back', 'cancelling', 'waiting', 'review');

update changes set job = null where job not in (select seq from jobs);

alter table changes drop column leg;
alter table changes drop column run_after;
alter table changes drop column reason;
alter table changes drop column failures;
`,
  },
  {
    version: 15,
    name: '000015_unlisted_jobs',
    oldestCompatible: 15,
    sql: `-- Every change that has not ended has its job from its first moment. While its caller waits, the job is not listed; before
-- this, a job that was not to be seen was one that was cancelled without an end.
-- oldest-compatible: 15

alter table jobs add column listed integer not null default 1 check (listed in (0, 1));
update jobs set listed = 0, status = 'pending', phase = 'resolve' where status = 'cancelled' and completed_at is null;

update jobs set status = 'committing', phase = 'commit', skips_marked = 1
  where listed = 0 and id in (select id from changes where job is null and state in ('writing', 'looking'));
insert into jobs (id, listed, type, status, phase, account, payload, skips_marked, total_items, max_attempts,
    created_at, updated_at, started_at)
  select id, 0,
    case kind
      when 'add' then 'add_to_playlist'
      when 'remove' then 'remove_from_playlist'
      when 'reorder' then 'reorder_playlist'
      when 'deduplicate' then 'deduplicate_playlist'
      when 'create' then 'create_playlist'
      when 'delete' then 'delete_playlist'
      when 'details' then 'update_playlist_details'
      when 'save' then 'save_tracks'
      when 'unsave' then 'remove_saved_tracks'
      when 'undo' then 'undo'
      else 'replace_playlist'
    end,
    'committing', 'commit', account,
    json_patch('{"strict":false,"dry_run":false,"skip_existing":false,"skip_duplicates":false}',
      json_object('playlist_id', playlist_id)),
    1, 0, 5, created_at, updated_at, created_at
  from changes
  where job is null and state in ('writing', 'looking') and id not in (select id from jobs);
update changes set job = (select seq from jobs where jobs.id = changes.id)
  where job is null and state in ('writing', 'looking');
`,
  },
  {
    version: 16,
    name: '000016_one_state_machine',
    oldestCompatible: 16,
    sql: `-- A change has no states of its own: its job has them. A change has how it ended, once it has, and one fact beside how far it
-- is: how its last request ended is being looked into.
-- oldest-compatible: 16

alter table changes add column outcome text;
alter table changes add column looking integer not null default 0 check (looking in (0, 1));
update changes set outcome = case when state in ('done', 'rolled_back', 'unchanged') then state else 'partial' end
  where state not in ('writing', 'looking');
update changes set looking = 1 where state = 'looking';

drop index changes_state;
alter table changes drop column state;
create index changes_open on changes (job) where outcome is null;
`,
  },
];
