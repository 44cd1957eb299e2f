-- Of the refresh tokens that a token gave within its grace only one chain may go on, which takes knowing who came of whom.
-- Before: rotated tokens and live ones. After: the rotated ones are generation 0, the live ones generation 1, and the
-- last generation that was exchanged is 0.
-- And a client keeps the time of its first approval when that has ended: one that never had one is a stranger. Before, only
-- its use was known.
-- oldest-compatible: 1

alter table oauth_tokens add column generation integer not null default 1;
update oauth_tokens set generation = 0 where rotated_at is not null;

alter table oauth_grants add column refreshed integer not null default 0;

alter table oauth_clients add column approved_at integer;
update oauth_clients set approved_at = ifnull(
  (select min(created_at) from oauth_grants where client_id = oauth_clients.client_id), last_used_at);
