-- Items that wait for another try are found without looking at ten thousand that were never tried, and what takes a change
-- back without looking at every change.
-- oldest-compatible: 8

create index job_items_tried on job_items (job, run_after) where status = 'pending' and run_after is not null;

create index changes_undoes on changes (undoes) where undoes is not null;
