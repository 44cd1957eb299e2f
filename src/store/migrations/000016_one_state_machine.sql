-- A change has no states of its own: its job has them. A change has how it ended, once it has, and one fact beside how far it
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
