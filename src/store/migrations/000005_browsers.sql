-- Browsers in which the owner approves without the owner code. They replace the sessions, which a cookie proved: browsers
-- send the cookies of this host to every port of it, so those sessions are worth nothing any more and none is taken over.
-- oldest-compatible: 5

drop table owner_sessions;

create table browsers (
  id           text primary key,
  hash         text not null unique,
  origin       text not null,
  label        text not null,
  created_at   integer not null,
  last_used_at integer not null,
  expires_at   integer not null
) strict, without rowid;
