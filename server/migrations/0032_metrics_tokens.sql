-- Tokens that whoever runs the server makes for its metrics alone. They belong to no organization.
create table metrics_tokens (
  id text collate "C" not null,
  name text not null,
  secret_hash bytea not null,
  cidrs text[] not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  constraint metrics_tokens_pkey primary key (id)
);
