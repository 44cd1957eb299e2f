-- Items of a job that a person decided to leave out are counted by themselves: they name no track, and are not open either.
-- A program of before knows no such item.
-- oldest-compatible: 8

alter table jobs add column passed_over integer not null default 0;
