-- Which MCP clients may ask, what the owner has approved, and what came of it: only hashes of codes, tokens and secrets.
-- oldest-compatible: 1

create table oauth_clients (
  client_id     text primary key,
  name          text,
  secret_hash   text,
  auth_method   text check (auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
  redirect_uris text not null,
  grant_types   text not null,
  source        text not null check (source in ('registered', 'added')),
  created_at    integer not null,
  last_used_at  integer
) strict, without rowid;

-- client_id may also be that of a client in the settings, so it refers to no table.
create table oauth_grants (
  id              text primary key,
  client_id       text not null,
  redirect_uri    text not null,
  code_challenge  text not null,
  resource        text not null,
  scope           text not null,
  code_hash       text not null unique,
  code_expires_at integer not null,
  code_used_at    integer,
  created_at      integer not null,
  last_used_at    integer
) strict, without rowid;

create index oauth_grants_client on oauth_grants (client_id);

create table oauth_tokens (
  hash       text primary key,
  grant_id   text not null references oauth_grants (id) on delete cascade,
  kind       text not null check (kind in ('access', 'refresh')),
  issued_at  integer not null,
  expires_at integer not null,
  rotated_at integer
) strict, without rowid;

create index oauth_tokens_grant on oauth_tokens (grant_id);
create index oauth_tokens_expiry on oauth_tokens (expires_at);

create table owner_sessions (
  hash       text primary key,
  created_at integer not null,
  expires_at integer not null
) strict, without rowid;
