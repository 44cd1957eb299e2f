-- Every change that has not ended has its job from its first moment. While its caller waits, the job is not listed; before
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
