-- Items that wait for another try are found without looking at ten thousand that were never tried, what takes a change back
-- without looking at every change, the aliases of a track without looking at all, and tracks are counted without reading them.
-- oldest-compatible: 8

create index job_items_tried on job_items (job, run_after) where status = 'pending' and run_after is not null;

create index changes_undoes on changes (undoes) where undoes is not null;

create index aliases_track on aliases (track_id);

create index tracks_age on tracks (updated_at);
