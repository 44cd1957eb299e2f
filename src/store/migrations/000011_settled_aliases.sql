-- The owner sees who settled a remembered match, and whether it was confirmed although its names differ.
-- oldest-compatible: 8

alter table aliases add column settled_by text;
alter table aliases add column confirmed integer not null default 0 check (confirmed in (0, 1));
alter table job_items add column confirmed integer not null default 0 check (confirmed in (0, 1));
