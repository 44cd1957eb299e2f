-- Of the refresh tokens that a token gave within its grace only one chain may go on, which takes knowing who came of whom.
-- Before: rotated tokens and live ones. After: the rotated ones are generation 0, the live ones generation 1, and the
-- last generation that was exchanged is 0.
-- oldest-compatible: 1

alter table oauth_tokens add column generation integer not null default 1;
update oauth_tokens set generation = 0 where rotated_at is not null;

alter table oauth_grants add column refreshed integer not null default 0;
