-- Durable jobs: bulk work that outlives time-outs, limits, restarts and crashes, with the state of every item.
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
