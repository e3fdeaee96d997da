-- People who sign in belong to the installation; what they may do in an organization is a membership of it. A member is an operator of the
-- organization: both have one id.
create table users (
  id uuid not null,
  email text not null,
  name text not null,
  locale text collate "C" not null default 'en',
  active boolean not null default true,
  -- Whether the person is known to read mail to this address: they opened a link that was mailed, or the operator said so.
  proven boolean not null default false,
  password_hash text,
  -- Encrypted as other secrets are.
  totp_secret text,
  totp_last_step bigint,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (id)
);
create unique index users_email on users (lower(email));

create table recovery_codes (
  user_id uuid not null references users (id) on delete cascade,
  code_hash bytea not null,
  primary key (user_id, code_hash)
);

create table sessions (
  id uuid not null,
  secret_hash bytea not null,
  user_id uuid not null references users (id) on delete cascade,
  created_at timestamptz(3) not null,
  seen_at timestamptz(3) not null,
  -- When the person last gave their password.
  fresh_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  address_class text collate "C" not null,
  browser text not null,
  primary key (id)
);
create unique index sessions_secret on sessions (secret_hash);
create index sessions_of_user on sessions (user_id);

-- Links that are good once. `first` founds the first organization and its owner, so it names nobody.
create table user_links (
  secret_hash bytea not null,
  kind text collate "C" not null,
  email text,
  name text,
  user_id uuid references users (id) on delete cascade,
  organization_id uuid,
  role text collate "C",
  invited_by uuid,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  check (kind in ('sign_in', 'first', 'invitation', 'reset')),
  check ((kind = 'first') = (email is null)),
  check (role in ('owner', 'manager', 'member', 'read_only')),
  check ((organization_id is null) = (role is null)),
  primary key (secret_hash)
);
create index user_links_of_person on user_links (lower(email));
create index user_links_of_organization on user_links (organization_id);

create table sign_in_failures (
  account_hash bytea not null,
  origin text collate "C" not null,
  failures integer not null,
  last_failed_at timestamptz(3) not null,
  next_attempt_at timestamptz(3) not null,
  primary key (account_hash, origin)
);

-- What happened to accounts: sign-ins, failures, links, changes. Entries outlive the account.
create table account_events (
  id uuid not null,
  user_id uuid,
  occurred_at timestamptz(3) not null,
  event text collate "C" not null,
  address_class text collate "C",
  detail jsonb not null default '{}',
  primary key (id)
);
create index account_events_of_user on account_events (user_id, occurred_at);
create index account_events_by_time on account_events (occurred_at);

create table memberships (
  organization_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  role text collate "C" not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  version bigint not null,
  check (role in ('owner', 'manager', 'member', 'read_only')),
  primary key (organization_id, id),
  unique (organization_id, user_id),
  foreign key (organization_id, id) references operators (organization_id, id)
);
create index memberships_of_user on memberships (user_id);

-- Raised by whatever ends or changes a session, a user or a membership. Servers remember sessions until it changes.
alter table installation add column people_generation bigint not null default 1;

alter table organizations
  add column members_see_contact_data boolean not null default true,
  add column members_see_amounts boolean not null default true,
  add column managers_manage_integrations boolean not null default false,
  add column second_factor_required boolean not null default false;

-- The application of kind `cabinet` is hidden. It stands for people's requests where an application is needed.
alter table applications add column kind text collate "C" not null default 'api';
alter table applications add constraint applications_kind_check check (kind in ('api', 'cabinet'));
create unique index applications_cabinet on applications (organization_id) where kind = 'cabinet';
