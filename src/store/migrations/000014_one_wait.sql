-- When a change goes on, why it waits and after how many failures is told by its job alone, so a change that waits, is under
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
