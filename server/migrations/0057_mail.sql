-- An invitation has two links: the one that was shown to who invited, and this one, which only a mail has had. Using one uses both.
alter table user_links add column mailed_hash bytea;
create unique index user_links_mailed on user_links (mailed_hash);

-- How often mail was asked for lately, for a person or by an organization. A keyed hash gives each its slot, so there are never more rows
-- than slots, and nobody can choose one.
create table mail_counts (
  slot integer not null,
  hour_began timestamptz(3) not null,
  asked integer not null,
  asked_at timestamptz(3) not null,
  check (slot between 0 and 65535),
  primary key (slot)
);
