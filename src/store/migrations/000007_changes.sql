-- Every change to a playlist, the library or a playlist's details, with what was there before, so that it survives a crash
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
