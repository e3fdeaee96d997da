-- What the migrations add up to, as PostgreSQL tells it. Nobody edits this file: change a migration that is not
-- released yet, or add one, and write this anew with `npm run golden`. Its difference is the review.

create extension btree_gin;
create extension pg_trgm;

CREATE OR REPLACE FUNCTION public.expect_rows(touched bigint, expected bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  if touched <> expected then
    raise exception 'touched % rows where % were expected', touched, expected using errcode = '40001';
  end if;
  return true;
end
$function$
;

CREATE OR REPLACE FUNCTION public.rank_behind_all()
 RETURNS text
 LANGUAGE sql
AS $function$
  select 'z' || lpad((extract(epoch from clock_timestamp()) * 1000000)::bigint::text, 26, '0')
             || replace(gen_random_uuid()::text, '-', '') || '1'
$function$
;

create table account_events (
  id uuid not null,
  user_id uuid,
  occurred_at timestamp(3) with time zone not null,
  event text collate "C" not null,
  address_class text collate "C",
  detail jsonb default '{}'::jsonb not null,
  constraint account_events_pkey PRIMARY KEY (id)
);
CREATE INDEX account_events_by_time ON public.account_events USING btree (occurred_at);
CREATE INDEX account_events_of_user ON public.account_events USING btree (user_id, occurred_at);

create table agent_api_integrations (
  organization_id uuid not null,
  agent_id uuid not null,
  api_integration_id uuid not null,
  "position" integer not null,
  constraint agent_api_integrations_pkey PRIMARY KEY (organization_id, agent_id, api_integration_id)
);
CREATE INDEX agent_api_integrations_of_integration ON public.agent_api_integrations USING btree (organization_id, api_integration_id);

create table agent_knowledge_bases (
  organization_id uuid not null,
  agent_id uuid not null,
  knowledge_base_id uuid not null,
  "position" integer not null,
  constraint agent_knowledge_bases_pkey PRIMARY KEY (organization_id, agent_id, knowledge_base_id)
);
CREATE INDEX agent_knowledge_bases_of_base ON public.agent_knowledge_bases USING btree (organization_id, knowledge_base_id);

create table agent_product_sets (
  organization_id uuid not null,
  agent_id uuid not null,
  product_set_id uuid not null,
  "position" integer not null,
  constraint agent_product_sets_pkey PRIMARY KEY (organization_id, agent_id, product_set_id)
);
CREATE INDEX agent_product_sets_of_set ON public.agent_product_sets USING btree (organization_id, product_set_id);

create table agents (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  name text not null,
  description text,
  instructions text not null,
  language text not null,
  tone text not null,
  model text not null,
  creativity text not null,
  fallback_message text,
  enabled boolean not null,
  constraint agents_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=85);

create table ai_operators (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  enabled boolean default false not null,
  agent_id uuid,
  mode text default 'autopilot'::text not null,
  schedule jsonb,
  handoff jsonb default '{"message": null, "keywords": [], "onRequest": true, "onNoAnswer": true, "assigneeUuid": null}'::jsonb not null,
  greeting text,
  reply_delay_seconds integer default 0 not null,
  max_replies_per_dialog integer,
  constraint ai_operators_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=85);
CREATE INDEX ai_operators_of_agent ON public.ai_operators USING btree (organization_id, agent_id) WHERE (agent_id IS NOT NULL);

create table api_integrations (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  name text collate "C" not null,
  description text not null,
  method text collate "C" not null,
  url text not null,
  parameters jsonb not null,
  headers jsonb not null,
  auth jsonb not null,
  secret text collate "C",
  body_template text,
  timeout_seconds integer not null,
  enabled boolean not null,
  secret_updated_at timestamp(3) with time zone,
  constraint api_integrations_pkey PRIMARY KEY (organization_id, id),
  constraint api_integrations_check CHECK (((secret IS NULL) = (secret_updated_at IS NULL)))
) with (fillfactor=85);
CREATE UNIQUE INDEX api_integrations_of_name ON public.api_integrations USING btree (organization_id, name);

create table api_tokens (
  id text collate "C" not null,
  organization_id uuid not null,
  application_id uuid not null,
  name text not null,
  secret_hash bytea not null,
  scopes text[] not null,
  cidrs text[] default '{}'::text[] not null,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  rotated_from text collate "C",
  last_used_at timestamp(3) with time zone,
  last_used_ip text,
  record_id uuid default gen_random_uuid() not null,
  version bigint default 1 not null,
  updated_at timestamp(3) with time zone default now() not null,
  last_refused_at timestamp(3) with time zone,
  last_refused_ip text,
  last_refused_reason text,
  constraint api_tokens_pkey PRIMARY KEY (id)
);
CREATE INDEX api_tokens_of_application ON public.api_tokens USING btree (organization_id, application_id);
CREATE UNIQUE INDEX api_tokens_record ON public.api_tokens USING btree (organization_id, record_id);

create table applications (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  rate_read integer not null,
  rate_write integer not null,
  enabled boolean default true not null,
  created_at timestamp(3) with time zone not null,
  version bigint default 1 not null,
  updated_at timestamp(3) with time zone default now() not null,
  kind text collate "C" default 'api'::text not null,
  constraint applications_pkey PRIMARY KEY (organization_id, id),
  constraint applications_kind_check CHECK ((kind = ANY (ARRAY['api'::text, 'cabinet'::text]))),
  constraint applications_rate_read_check CHECK ((rate_read > 0)),
  constraint applications_rate_write_check CHECK ((rate_write > 0))
);
CREATE UNIQUE INDEX applications_cabinet ON public.applications USING btree (organization_id) WHERE (kind = 'cabinet'::text);

create table audit_entries (
  organization_id uuid not null,
  id uuid not null,
  occurred_at timestamp(3) with time zone not null,
  resource_type text collate "C" not null,
  resource_id uuid not null,
  action text collate "C" not null,
  application_id uuid,
  actor_type text not null,
  actor_uuid uuid,
  request_id uuid not null,
  client_request_id text,
  version_before bigint,
  version_after bigint,
  changes jsonb not null,
  job_id uuid,
  about_ids uuid[],
  token_id text collate "C",
  address_class text collate "C",
  command_user text,
  overwrite boolean default false not null,
  entry text collate "C",
  constraint audit_entries_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX audit_entries_about ON public.audit_entries USING gin (organization_id, about_ids) WHERE (about_ids IS NOT NULL);
CREATE INDEX audit_entries_addressed ON public.audit_entries USING btree (organization_id) WHERE (COALESCE(client_request_id, ''::text) ~~ '%@%'::text);
CREATE INDEX audit_entries_of_client_request ON public.audit_entries USING btree (client_request_id) WHERE (client_request_id IS NOT NULL);
CREATE INDEX audit_entries_of_job ON public.audit_entries USING btree (organization_id, job_id, id) WHERE (job_id IS NOT NULL);
CREATE INDEX audit_entries_of_record_in_order ON public.audit_entries USING btree (organization_id, resource_id, id);
CREATE INDEX audit_entries_of_request ON public.audit_entries USING btree (request_id);

create table bulk_job_errors (
  organization_id uuid not null,
  job_id uuid not null,
  ordinal integer not null,
  record_id uuid not null,
  code text collate "C" not null,
  message text not null,
  details jsonb not null,
  occurred_at timestamp(3) with time zone not null,
  constraint bulk_job_errors_pkey PRIMARY KEY (organization_id, job_id, ordinal)
);

create table bulk_job_targets (
  organization_id uuid not null,
  job_id uuid not null,
  ordinal integer not null,
  record_id uuid not null,
  expected_version bigint,
  outcome text collate "C",
  constraint bulk_job_targets_pkey PRIMARY KEY (organization_id, job_id, ordinal)
) with (fillfactor=80);

create table bulk_jobs (
  organization_id uuid not null,
  id uuid not null,
  application_id uuid not null,
  idempotency_key text collate "C" not null,
  fingerprint bytea not null,
  entity_type text collate "C" not null,
  action text collate "C" not null,
  changes jsonb not null,
  status text collate "C" not null,
  total integer not null,
  succeeded integer default 0 not null,
  unchanged integer default 0 not null,
  failed integer default 0 not null,
  canceled integer default 0 not null,
  created_at timestamp(3) with time zone not null,
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  failure_code text collate "C",
  failure_message text,
  token_id text collate "C",
  started_by uuid,
  constraint bulk_jobs_pkey PRIMARY KEY (organization_id, id),
  constraint bulk_jobs_check CHECK (((((succeeded + unchanged) + failed) + canceled) <= total)),
  constraint bulk_jobs_check1 CHECK (((finished_at IS NULL) = (status = ANY (ARRAY['queued'::text, 'running'::text])))),
  constraint bulk_jobs_total_check CHECK ((total > 0))
) with (fillfactor=50);
CREATE INDEX bulk_jobs_by_end ON public.bulk_jobs USING btree (organization_id, finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX bulk_jobs_newest ON public.bulk_jobs USING btree (organization_id, application_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX bulk_jobs_of_key ON public.bulk_jobs USING btree (organization_id, application_id, idempotency_key);
CREATE INDEX bulk_jobs_of_type ON public.bulk_jobs USING btree (organization_id, application_id, entity_type, created_at DESC, id DESC);
CREATE INDEX bulk_jobs_unfinished ON public.bulk_jobs USING btree (organization_id, created_at) WHERE (finished_at IS NULL);

create table change_keys (
  organization_id uuid not null,
  application_id uuid not null,
  resource_id uuid not null,
  key text collate "C" not null,
  removed_at timestamp(3) with time zone not null,
  constraint change_keys_pkey PRIMARY KEY (organization_id, resource_id, application_id)
);

create table changes (
  organization_id uuid not null,
  seq bigint not null,
  id uuid not null,
  kind text collate "C" not null,
  resource_type text collate "C" not null,
  resource_id uuid not null,
  operation text collate "C" not null,
  version bigint,
  changed_fields text[] not null,
  merged_into_id uuid,
  merged_from_id uuid,
  occurred_at timestamp(3) with time zone not null,
  actor_type text not null,
  actor_uuid uuid,
  application_id uuid,
  request_id uuid not null,
  job_id uuid,
  transaction_id uuid not null,
  constraint changes_pkey PRIMARY KEY (organization_id, seq)
);
CREATE INDEX changes_by_time ON public.changes USING brin (occurred_at) WITH (pages_per_range='16', autosummarize='on');

create table channels (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  type text not null,
  name text not null,
  status text not null,
  identifier text,
  constraint channels_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=85);

create table checklist_items (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  checklist_id uuid not null,
  text text not null,
  is_done boolean not null,
  done_at timestamp(3) with time zone,
  done_by_uuid uuid,
  "position" integer default 1000000000 not null,
  rank text collate "C" default rank_behind_all() not null,
  constraint checklist_items_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=85);
CREATE INDEX checklist_items_in_order ON public.checklist_items USING btree (organization_id, checklist_id, rank, id);

create table checklists (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  task_id uuid not null,
  title text not null,
  "position" integer default 1000000000 not null,
  item_set_version integer not null,
  rank text collate "C" default rank_behind_all() not null,
  constraint checklists_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=85);
CREATE INDEX checklists_in_order ON public.checklists USING btree (organization_id, task_id, rank, id);

create table companies (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by_application_id uuid,
  created_by_uuid uuid,
  updated_by_uuid uuid,
  name text not null,
  legal_name text,
  tax_id text,
  registration_number text,
  industry text,
  employees_count integer,
  websites jsonb not null,
  description text,
  source text,
  owner_uuid uuid,
  contact_data jsonb not null,
  custom_fields jsonb not null,
  tag_ids uuid[] not null,
  search_names text not null,
  search_contact_data text not null,
  search_custom_fields text not null,
  constraint companies_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=85);
CREATE INDEX companies_by_name ON public.companies USING btree (organization_id, "left"(lower(regexp_replace(NORMALIZE(name, NFKD), '[\u0300-\u036f]+'::text, ''::text, 'g'::text)), 100) COLLATE "C", id) WHERE (name <> ''::text);
CREATE INDEX companies_newest ON public.companies USING btree (organization_id, created_at, id);
CREATE INDEX companies_of_owner ON public.companies USING btree (organization_id, owner_uuid) WHERE (owner_uuid IS NOT NULL);
CREATE INDEX companies_of_tag ON public.companies USING gin (tag_ids) WITH (fastupdate=off) WHERE (tag_ids <> '{}'::uuid[]);
CREATE INDEX companies_search_contact_data ON public.companies USING gin (organization_id, search_contact_data gin_trgm_ops) WITH (gin_pending_list_limit='1024');
CREATE INDEX companies_search_custom_fields ON public.companies USING gin (organization_id, search_custom_fields gin_trgm_ops) WHERE (search_custom_fields <> ''::text);
CREATE INDEX companies_search_names ON public.companies USING gin (organization_id, search_names gin_trgm_ops) WITH (gin_pending_list_limit='1024');
CREATE INDEX companies_search_subtitle ON public.companies USING gin (organization_id, string_to_array(translate(lower(regexp_replace(NORMALIZE(industry, NFKD), '[\u0300-\u036f]+'::text, ''::text, 'g'::text)), '-.,;:/()&"''’«»‹›„“”‟‘‚‛‐‒–—―−ς'::text, '                             σ'::text), ' '::text)) WITH (fastupdate=off) WHERE (industry IS NOT NULL);
CREATE INDEX companies_search_words ON public.companies USING gin (organization_id, string_to_array(translate(search_names, '-.,;:/()&"''’'::text, '            '::text), ' '::text), string_to_array(search_contact_data, ' '::text)) WITH (fastupdate=off);
CREATE INDEX companies_tax_id ON public.companies USING btree (organization_id, tax_id) WHERE (tax_id IS NOT NULL);

create table company_activities (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  company_id uuid not null,
  type text not null,
  subject text,
  body text,
  direction text,
  occurred_at timestamp(3) with time zone not null,
  duration_seconds integer,
  outcome text,
  contact_id uuid,
  author_uuid uuid,
  application_id uuid,
  constraint company_activities_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=85);
CREATE INDEX company_activities_in_order ON public.company_activities USING btree (organization_id, company_id, occurred_at, id);
CREATE INDEX company_activities_of_contact ON public.company_activities USING btree (organization_id, contact_id, id) WHERE (contact_id IS NOT NULL);

create table company_contacts (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  company_id uuid not null,
  contact_id uuid not null,
  role text,
  "position" integer default 1000000000 not null,
  rank text collate "C" default rank_behind_all() not null,
  constraint company_contacts_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=85);
CREATE INDEX company_contacts_in_order ON public.company_contacts USING btree (organization_id, company_id, rank, id);
CREATE INDEX company_contacts_of_contact_in_order ON public.company_contacts USING btree (organization_id, contact_id, company_id);
CREATE UNIQUE INDEX company_contacts_once ON public.company_contacts USING btree (organization_id, company_id, contact_id);

create table company_files (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  company_id uuid not null,
  name text not null,
  mime_type text not null,
  size_bytes integer not null,
  sha256 text not null,
  created_by_uuid uuid,
  application_id uuid,
  constraint company_files_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX company_files_in_order ON public.company_files USING btree (organization_id, company_id, created_at, id);

create table contact_activities (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  contact_id uuid not null,
  type text not null,
  subject text,
  body text,
  direction text,
  occurred_at timestamp(3) with time zone not null,
  duration_seconds integer,
  outcome text,
  author_uuid uuid,
  application_id uuid,
  constraint contact_activities_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=85);
CREATE INDEX contact_activities_in_order ON public.contact_activities USING btree (organization_id, contact_id, occurred_at, id);

create table contact_files (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  contact_id uuid not null,
  name text not null,
  mime_type text not null,
  size_bytes integer not null,
  sha256 text not null,
  created_by_uuid uuid,
  application_id uuid,
  constraint contact_files_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX contact_files_in_order ON public.contact_files USING btree (organization_id, contact_id, created_at, id);

create table contacts (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by_application_id uuid,
  created_by_uuid uuid,
  updated_by_uuid uuid,
  anonymized_at timestamp(3) with time zone,
  first_name text,
  middle_name text,
  last_name text,
  job_title text,
  description text,
  source text,
  owner_uuid uuid,
  contact_data jsonb not null,
  custom_fields jsonb not null,
  tag_ids uuid[] not null,
  search_names text not null,
  search_contact_data text not null,
  search_custom_fields text not null,
  constraint contacts_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=85);
CREATE INDEX contacts_by_name ON public.contacts USING btree (organization_id, "left"(lower(regexp_replace(NORMALIZE(COALESCE(NULLIF(rtrim(((COALESCE((last_name || ' '::text), ''::text) || COALESCE((first_name || ' '::text), ''::text)) || COALESCE(middle_name, ''::text))), ''::text), job_title, ('Contact '::text || "left"((id)::text, 8))), NFKD), '[\u0300-\u036f]+'::text, ''::text, 'g'::text)), 100) COLLATE "C", id) WHERE (anonymized_at IS NULL);
CREATE INDEX contacts_newest ON public.contacts USING btree (organization_id, created_at, id) WHERE (anonymized_at IS NULL);
CREATE INDEX contacts_of_owner ON public.contacts USING btree (organization_id, owner_uuid) WHERE (owner_uuid IS NOT NULL);
CREATE INDEX contacts_of_tag ON public.contacts USING gin (tag_ids) WITH (fastupdate=off) WHERE (tag_ids <> '{}'::uuid[]);
CREATE INDEX contacts_search_contact_data ON public.contacts USING gin (organization_id, search_contact_data gin_trgm_ops) WITH (gin_pending_list_limit='1024');
CREATE INDEX contacts_search_custom_fields ON public.contacts USING gin (organization_id, search_custom_fields gin_trgm_ops) WHERE (search_custom_fields <> ''::text);
CREATE INDEX contacts_search_names ON public.contacts USING gin (organization_id, search_names gin_trgm_ops) WITH (gin_pending_list_limit='1024');
CREATE INDEX contacts_search_subtitle ON public.contacts USING gin (organization_id, string_to_array(translate(lower(regexp_replace(NORMALIZE(job_title, NFKD), '[\u0300-\u036f]+'::text, ''::text, 'g'::text)), '-.,;:/()&"''’«»‹›„“”‟‘‚‛‐‒–—―−ς'::text, '                             σ'::text), ' '::text)) WITH (fastupdate=off) WHERE (job_title IS NOT NULL);
CREATE INDEX contacts_search_words ON public.contacts USING gin (organization_id, string_to_array(translate(search_names, '-.,;:/()&"''’'::text, '            '::text), ' '::text), string_to_array(search_contact_data, ' '::text)) WITH (fastupdate=off);

create table custom_field_definitions (
  organization_id uuid not null,
  kind text collate "C" not null,
  key text collate "C" not null,
  label text not null,
  type text not null,
  options jsonb default '[]'::jsonb not null,
  required boolean default false not null,
  "position" integer not null,
  created_at timestamp(3) with time zone not null,
  id uuid default gen_random_uuid() not null,
  version bigint default 1 not null,
  updated_at timestamp(3) with time zone default now() not null,
  constraint custom_field_definitions_pkey PRIMARY KEY (organization_id, kind, key)
);
CREATE UNIQUE INDEX custom_field_definitions_record ON public.custom_field_definitions USING btree (organization_id, id);

create table deal_activities (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  deal_id uuid not null,
  type text not null,
  subject text,
  body text,
  direction text,
  occurred_at timestamp(3) with time zone not null,
  duration_seconds integer,
  outcome text,
  contact_id uuid,
  author_uuid uuid,
  application_id uuid,
  constraint deal_activities_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=85);
CREATE INDEX deal_activities_in_order ON public.deal_activities USING btree (organization_id, deal_id, occurred_at, id);
CREATE INDEX deal_activities_of_contact ON public.deal_activities USING btree (organization_id, contact_id, id) WHERE (contact_id IS NOT NULL);

create table deal_companies (
  organization_id uuid not null,
  deal_id uuid not null,
  company_id uuid not null,
  "position" integer not null,
  constraint deal_companies_pkey PRIMARY KEY (organization_id, deal_id, company_id)
);
CREATE INDEX deal_companies_of_company_in_order ON public.deal_companies USING btree (organization_id, company_id, deal_id);

create table deal_contacts (
  organization_id uuid not null,
  deal_id uuid not null,
  contact_id uuid not null,
  "position" integer not null,
  constraint deal_contacts_pkey PRIMARY KEY (organization_id, deal_id, contact_id)
);
CREATE INDEX deal_contacts_of_contact_in_order ON public.deal_contacts USING btree (organization_id, contact_id, deal_id);

create table deal_events (
  organization_id uuid not null,
  deal_id uuid not null,
  id uuid not null,
  kind text collate "C" not null,
  created_at timestamp(3) with time zone not null,
  deal_version bigint not null,
  actor_type text not null,
  actor_uuid uuid,
  application_id uuid,
  request_id uuid not null,
  data jsonb not null,
  constraint deal_events_pkey PRIMARY KEY (organization_id, deal_id, created_at, id)
);

create table deal_files (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  deal_id uuid not null,
  name text not null,
  mime_type text not null,
  size_bytes integer not null,
  sha256 text not null,
  created_by_uuid uuid,
  application_id uuid,
  constraint deal_files_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX deal_files_in_order ON public.deal_files USING btree (organization_id, deal_id, created_at, id);

create table deal_items (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  deal_id uuid not null,
  name text not null,
  sku text,
  product_id text,
  unit text,
  quantity numeric not null,
  price numeric not null,
  discount_type text not null,
  discount numeric not null,
  tax_mode text not null,
  tax_rate numeric not null,
  "position" integer default 1000000000 not null,
  subtotal numeric not null,
  discount_amount numeric not null,
  tax_amount numeric not null,
  total numeric not null,
  rank text collate "C" default rank_behind_all() not null,
  constraint deal_items_pkey PRIMARY KEY (organization_id, id),
  constraint deal_items_discount_type_check CHECK ((discount_type = ANY (ARRAY['percent'::text, 'amount'::text]))),
  constraint deal_items_tax_mode_check CHECK ((tax_mode = ANY (ARRAY['none'::text, 'exclusive'::text, 'inclusive'::text])))
) with (fillfactor=85);
CREATE INDEX deal_items_in_order ON public.deal_items USING btree (organization_id, deal_id, rank, id);

create table deal_stage_spans (
  organization_id uuid not null,
  deal_id uuid not null,
  number integer not null,
  pipeline_id uuid not null,
  stage_uuid uuid not null,
  entered_at timestamp(3) with time zone not null,
  left_at timestamp(3) with time zone,
  constraint deal_stage_spans_pkey PRIMARY KEY (organization_id, deal_id, number) INCLUDE (stage_uuid, entered_at, left_at)
) with (fillfactor=85);
CREATE INDEX deal_stage_spans_in_stage ON public.deal_stage_spans USING btree (organization_id, stage_uuid, deal_id, entered_at);
CREATE INDEX deal_stage_spans_left ON public.deal_stage_spans USING btree (organization_id, stage_uuid, left_at) INCLUDE (deal_id, entered_at) WHERE (left_at IS NOT NULL);

create table deals (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by_application_id uuid,
  created_by_uuid uuid,
  updated_by_uuid uuid,
  kind text not null,
  title text not null,
  description text,
  amount numeric,
  currency text,
  items_total numeric not null,
  priority text,
  owner_uuid uuid,
  expected_close_date date,
  pipeline_id uuid not null,
  stage_uuid uuid not null,
  status text not null,
  rank text collate "C" not null,
  lost_reason_category_uuid uuid,
  lost_reason_comment text,
  stage_changed_at timestamp(3) with time zone not null,
  stage_span integer not null,
  closed_at timestamp(3) with time zone,
  items_count integer not null,
  activities_count integer not null,
  files_count integer not null,
  custom_fields jsonb not null,
  tag_ids uuid[] not null,
  search_names text not null,
  search_contact_data text not null,
  search_custom_fields text not null,
  constraint deals_pkey PRIMARY KEY (organization_id, id),
  constraint deals_kind_check CHECK ((kind = ANY (ARRAY['ordinary'::text, 'unsorted'::text]))),
  constraint deals_status_check CHECK ((status = ANY (ARRAY['open'::text, 'won'::text, 'lost'::text])))
) with (fillfactor=85);
CREATE INDEX deals_by_amount ON public.deals USING btree (organization_id, amount, id) WHERE (title <> ''::text);
CREATE INDEX deals_by_expected_close ON public.deals USING btree (organization_id, expected_close_date, id) WHERE (title <> ''::text);
CREATE INDEX deals_by_title ON public.deals USING btree (organization_id, "left"(lower(regexp_replace(NORMALIZE(title, NFKD), '[\u0300-\u036f]+'::text, ''::text, 'g'::text)), 100) COLLATE "C", id) WHERE (title <> ''::text);
CREATE INDEX deals_closed ON public.deals USING btree (organization_id, closed_at) INCLUDE (status, created_at, pipeline_id) WHERE (closed_at IS NOT NULL);
CREATE INDEX deals_in_stage ON public.deals USING btree (stage_uuid, rank) INCLUDE (organization_id, id);
CREATE INDEX deals_newest ON public.deals USING btree (organization_id, created_at, id);
CREATE INDEX deals_of_owner ON public.deals USING btree (organization_id, owner_uuid) WHERE (owner_uuid IS NOT NULL);
CREATE INDEX deals_of_tag ON public.deals USING gin (tag_ids) WITH (fastupdate=off) WHERE (tag_ids <> '{}'::uuid[]);
CREATE INDEX deals_search_custom_fields ON public.deals USING gin (organization_id, search_custom_fields gin_trgm_ops) WHERE (search_custom_fields <> ''::text);
CREATE INDEX deals_search_names ON public.deals USING gin (organization_id, search_names gin_trgm_ops) WITH (gin_pending_list_limit='1024');
CREATE INDEX deals_search_words ON public.deals USING gin (organization_id, string_to_array(translate(search_names, '-.,;:/()&"''’'::text, '            '::text), ' '::text)) WITH (fastupdate=off);

create table erasure_receipts (
  organization_id uuid not null,
  id uuid not null,
  contact_id uuid not null,
  mode text not null,
  erased_at timestamp(3) with time zone not null,
  request_id uuid not null,
  application_id uuid,
  reached jsonb not null,
  constraint erasure_receipts_pkey PRIMARY KEY (organization_id, id)
);

create table exports (
  organization_id uuid not null,
  id uuid not null,
  application_id uuid not null,
  idempotency_key text not null,
  fingerprint bytea not null,
  type text not null,
  csv_safe boolean not null,
  filters jsonb not null,
  redacted text[] not null,
  status text not null,
  run_id uuid,
  restarts integer default 0 not null,
  rows_written bigint default 0 not null,
  rows_total bigint,
  file_name text not null,
  file_id uuid,
  size_bytes bigint,
  sha256 text,
  created_at timestamp(3) with time zone not null,
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone,
  failure_code text,
  failure_message text,
  token_id text collate "C",
  started_by uuid,
  constraint exports_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX exports_kept ON public.exports USING btree (organization_id, expires_at) WHERE (status = 'completed'::text);
CREATE INDEX exports_newest ON public.exports USING btree (organization_id, application_id, created_at, id);
CREATE UNIQUE INDEX exports_once ON public.exports USING btree (organization_id, application_id, idempotency_key);
CREATE INDEX exports_unfinished ON public.exports USING btree (organization_id) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));

create table external_keys (
  organization_id uuid not null,
  application_id uuid not null,
  kind text collate "C" not null,
  gone boolean not null,
  key text collate "C" not null,
  resource_id uuid not null,
  reason text,
  changed_at timestamp(3) with time zone not null,
  constraint external_keys_pkey PRIMARY KEY (organization_id, application_id, kind, gone, key),
  constraint external_keys_check CHECK ((gone = (reason IS NOT NULL))),
  constraint external_keys_reason_check CHECK ((reason = ANY (ARRAY['deleted'::text, 'merged'::text, 'anonymized'::text])))
);
CREATE UNIQUE INDEX external_keys_of_resource ON public.external_keys USING btree (organization_id, resource_id, application_id, kind, gone, key);

create table files (
  organization_id uuid not null,
  id uuid not null,
  purpose text not null,
  name text not null,
  media_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  created_at timestamp(3) with time zone not null,
  holds_persons boolean default false not null,
  constraint files_pkey PRIMARY KEY (organization_id, id),
  constraint files_size_bytes_check CHECK ((size_bytes >= 0))
);
CREATE INDEX files_of_exports ON public.files USING btree (organization_id) INCLUDE (created_at, id, size_bytes) WHERE (purpose = 'export'::text);
CREATE INDEX files_of_persons ON public.files USING btree (organization_id) WHERE holds_persons;

create table idempotency_answers (
  organization_id uuid not null,
  application_id uuid not null,
  key text collate "C" not null,
  fingerprint bytea not null,
  created_at timestamp(3) with time zone not null,
  status integer not null,
  body text,
  person_ids uuid[],
  request_id uuid,
  client_request_id text collate "C",
  operation text collate "C",
  slot smallint default (((EXTRACT(epoch FROM now()))::bigint / 86400) % (4)::bigint) not null,
  constraint idempotency_answers_pkey PRIMARY KEY (organization_id, application_id, key, slot)
) partition by LIST (slot);
CREATE INDEX idempotency_answers_addressed ON public.idempotency_answers USING btree (organization_id) WHERE (COALESCE(client_request_id, ''::text) ~~ '%@%'::text);
CREATE INDEX idempotency_answers_of_client_request ON public.idempotency_answers USING btree (client_request_id) WHERE (client_request_id IS NOT NULL);
CREATE INDEX idempotency_answers_of_request ON public.idempotency_answers USING btree (request_id) WHERE (request_id IS NOT NULL);
CREATE INDEX idempotency_answers_persons ON public.idempotency_answers USING gin (organization_id, person_ids) WHERE (person_ids IS NOT NULL);

create table idempotency_answers_0 partition of idempotency_answers FOR VALUES IN ('0');

create table idempotency_answers_1 partition of idempotency_answers FOR VALUES IN ('1');

create table idempotency_answers_2 partition of idempotency_answers FOR VALUES IN ('2');

create table idempotency_answers_3 partition of idempotency_answers FOR VALUES IN ('3');

create table idempotency_answers_before partition of idempotency_answers FOR VALUES IN ('-1');

create table import_errors (
  organization_id uuid not null,
  import_id uuid not null,
  line integer not null,
  number integer not null,
  error jsonb not null,
  constraint import_errors_pkey PRIMARY KEY (organization_id, import_id, line, number)
);

create table import_outcomes (
  organization_id uuid not null,
  import_id uuid not null,
  line integer not null,
  outcomes text not null,
  constraint import_outcomes_pkey PRIMARY KEY (organization_id, import_id, line)
);

create table import_primaries (
  organization_id uuid not null,
  import_id uuid not null,
  owner_id uuid not null,
  constraint import_primaries_pkey PRIMARY KEY (organization_id, import_id, owner_id)
);

create table import_rehearsals (
  organization_id uuid not null,
  import_id uuid not null,
  kind text not null,
  id uuid not null,
  parent_id uuid,
  words text[] not null,
  state jsonb,
  constraint import_rehearsals_pkey PRIMARY KEY (organization_id, import_id, kind, id)
);
CREATE INDEX import_rehearsals_parent ON public.import_rehearsals USING btree (organization_id, import_id, parent_id) WHERE (parent_id IS NOT NULL);
CREATE INDEX import_rehearsals_words ON public.import_rehearsals USING gin (organization_id, import_id, words) WITH (fastupdate=off);

create table import_undo_kept (
  organization_id uuid not null,
  undo_id uuid not null,
  record_id uuid not null,
  kind text collate "C" not null,
  reason text collate "C" not null,
  fields text[] not null,
  constraint import_undo_kept_pkey PRIMARY KEY (organization_id, undo_id, record_id)
);

create table import_undos (
  organization_id uuid not null,
  id uuid not null,
  import_id uuid not null,
  status text collate "C" not null,
  "position" uuid not null,
  total integer,
  done integer not null,
  removed integer not null,
  restored integer not null,
  kept integer not null,
  created_at timestamp(3) with time zone not null,
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  failure jsonb,
  constraint import_undos_pkey PRIMARY KEY (organization_id, id),
  constraint import_undos_check CHECK (((finished_at IS NULL) = (status = ANY (ARRAY['queued'::text, 'running'::text]))))
) with (fillfactor=70);
CREATE UNIQUE INDEX import_undos_of_import ON public.import_undos USING btree (organization_id, import_id);

create table imports (
  organization_id uuid not null,
  id uuid not null,
  entity_type text not null,
  status text not null,
  file_name text not null,
  size_bytes integer not null,
  sha256 text not null,
  file_id uuid,
  form jsonb,
  mapping jsonb,
  columns jsonb,
  dedup_policy jsonb,
  defaults jsonb,
  dry_run boolean default false not null,
  manages_custom_fields boolean default false not null,
  row_count integer,
  "position" integer default 0 not null,
  counters jsonb not null,
  errors jsonb not null,
  errors_file_id uuid,
  failure jsonb,
  application_id uuid,
  author_type text not null,
  author_uuid uuid,
  created_at timestamp(3) with time zone not null,
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  token_id text collate "C",
  rows_file_id uuid,
  options jsonb,
  created_companies integer default 0 not null,
  started_by uuid,
  constraint imports_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=70);
CREATE INDEX imports_newest ON public.imports USING btree (organization_id, created_at, id);
CREATE INDEX imports_quoting ON public.imports USING btree (organization_id, id) WHERE jsonb_path_exists(errors, '$[*]?(@."value" != null)'::jsonpath);
CREATE INDEX imports_unfinished ON public.imports USING btree (created_at) WHERE (finished_at IS NULL);

create table installation (
  singleton boolean default true not null,
  generation bigint default 1 not null,
  epoch bigint default 1 not null,
  system_identifier text,
  timeline text,
  database_oid text,
  secret_mark text,
  people_generation bigint default 1 not null,
  constraint installation_pkey PRIMARY KEY (singleton),
  constraint installation_singleton_check CHECK (singleton)
);

create table job_workers (
  id text not null,
  version text not null,
  started_at timestamp(3) with time zone not null,
  beat_at timestamp(3) with time zone not null,
  constraint job_workers_pkey PRIMARY KEY (id)
);

create table knowledge_bases (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  name text not null,
  description text,
  files_count integer not null,
  size_bytes bigint not null,
  constraint knowledge_bases_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=70);
CREATE INDEX knowledge_bases_newest ON public.knowledge_bases USING btree (organization_id, created_at, id);

create table knowledge_contents (
  organization_id uuid not null,
  id uuid not null,
  knowledge_base_id uuid not null,
  passages integer not null,
  constraint knowledge_contents_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=70);
CREATE INDEX knowledge_contents_of_base ON public.knowledge_contents USING btree (organization_id, knowledge_base_id);

create table knowledge_files (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  knowledge_base_id uuid not null,
  file_id text not null,
  name text not null,
  mime_type text not null,
  size_bytes integer not null,
  sha256 text not null,
  status text not null,
  error jsonb,
  content_id uuid not null,
  constraint knowledge_files_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=85);
CREATE UNIQUE INDEX knowledge_files_chosen ON public.knowledge_files USING btree (organization_id, knowledge_base_id, file_id);
CREATE UNIQUE INDEX knowledge_files_content ON public.knowledge_files USING btree (organization_id, content_id);
CREATE INDEX knowledge_files_failed ON public.knowledge_files USING btree (organization_id, knowledge_base_id) WHERE (status = 'failed'::text);
CREATE INDEX knowledge_files_newest ON public.knowledge_files USING btree (organization_id, knowledge_base_id, created_at, id);
CREATE INDEX knowledge_files_unread ON public.knowledge_files USING btree (organization_id, knowledge_base_id) WHERE (status = ANY (ARRAY['queued'::text, 'indexing'::text]));

create table knowledge_passages (
  organization_id uuid not null,
  content_id uuid not null,
  number integer not null,
  knowledge_base_id uuid not null,
  text text not null,
  heading text not null,
  page integer,
  sheet text,
  line integer,
  length integer not null,
  words tsvector not null,
  constraint knowledge_passages_pkey PRIMARY KEY (organization_id, content_id, number)
);
CREATE INDEX knowledge_passages_words ON public.knowledge_passages USING gin (organization_id, knowledge_base_id, words) WITH (fastupdate=off);

create table knowledge_words (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  word text not null,
  passages integer not null,
  constraint knowledge_words_pkey PRIMARY KEY (organization_id, knowledge_base_id, word)
) with (fillfactor=70);
CREATE INDEX knowledge_words_similar ON public.knowledge_words USING gin (organization_id, knowledge_base_id, word gin_trgm_ops) WITH (fastupdate=off);

create table last_changes (
  organization_id uuid not null,
  kind text collate "C" not null,
  updated_at timestamp(3) with time zone not null,
  resource_id uuid not null,
  constraint last_changes_pkey PRIMARY KEY (organization_id, kind, updated_at, resource_id)
);

create table lost_reason_categories (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  pipeline_id uuid,
  active boolean default true not null,
  "position" integer not null,
  version bigint default 1 not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone default now() not null,
  constraint lost_reason_categories_pkey PRIMARY KEY (organization_id, id)
);

create table mail_counts (
  slot integer not null,
  hour_began timestamp(3) with time zone not null,
  asked integer not null,
  asked_at timestamp(3) with time zone not null,
  constraint mail_counts_pkey PRIMARY KEY (slot),
  constraint mail_counts_slot_check CHECK (((slot >= 0) AND (slot <= 65535)))
);

create table memberships (
  organization_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  role text collate "C" not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  version bigint not null,
  constraint memberships_pkey PRIMARY KEY (organization_id, id),
  constraint memberships_organization_id_user_id_key UNIQUE (organization_id, user_id),
  constraint memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'manager'::text, 'member'::text, 'read_only'::text])))
);
CREATE INDEX memberships_of_user ON public.memberships USING btree (user_id);

create table merged_records (
  organization_id uuid not null,
  id uuid not null,
  kind text collate "C" not null,
  into_id uuid not null,
  merged_at timestamp(3) with time zone not null,
  constraint merged_records_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX merged_records_into ON public.merged_records USING btree (organization_id, into_id);

create table metrics_tokens (
  id text collate "C" not null,
  name text not null,
  secret_hash bytea not null,
  cidrs text[] not null,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone,
  constraint metrics_tokens_pkey PRIMARY KEY (id)
);

create table operators (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  email text not null,
  active boolean default true not null,
  created_at timestamp(3) with time zone not null,
  version bigint default 1 not null,
  updated_at timestamp(3) with time zone default now() not null,
  constraint operators_pkey PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX operators_email ON public.operators USING btree (organization_id, lower(email));

create table organization_feed (
  organization_id uuid not null,
  seq bigint not null,
  oldest_seq bigint default 1 not null,
  oldest_configuration bigint default 0 not null,
  file_bytes bigint default 0 not null,
  epoch bigint default 0 not null,
  last_changes_seq bigint default 0 not null,
  constraint organization_feed_pkey PRIMARY KEY (organization_id)
) with (fillfactor=20);

create table organizations (
  id uuid not null,
  name text not null,
  time_zone text not null,
  default_currency text not null,
  currencies text[] not null,
  locale text not null,
  country text not null,
  crm_provider text default 'built_in'::text not null,
  sandbox boolean default false not null,
  demo boolean default false not null,
  directory_version bigint default 1 not null,
  created_at timestamp(3) with time zone not null,
  organization_id uuid generated always as (id) stored not null,
  updated_at timestamp(3) with time zone default now() not null,
  file_quota_bytes bigint default '42949672960'::bigint not null,
  read_only boolean default false not null,
  members_see_contact_data boolean default true not null,
  members_see_amounts boolean default true not null,
  managers_manage_integrations boolean default false not null,
  second_factor_required boolean default false not null,
  constraint organizations_pkey PRIMARY KEY (id),
  constraint organizations_crm_provider_check CHECK ((crm_provider = ANY (ARRAY['built_in'::text, 'external'::text])))
);
CREATE UNIQUE INDEX organizations_single_demo ON public.organizations USING btree (demo) WHERE demo;

create table phone_normalizations (
  organization_id uuid not null,
  id uuid not null,
  status text collate "C" not null,
  kind text collate "C",
  last_id uuid,
  examined bigint not null,
  changed bigint not null,
  created_at timestamp(3) with time zone not null,
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  constraint phone_normalizations_pkey PRIMARY KEY (organization_id),
  constraint phone_normalizations_check CHECK (((kind IS NULL) = (last_id IS NULL))),
  constraint phone_normalizations_check1 CHECK (((finished_at IS NULL) = (status = ANY (ARRAY['queued'::text, 'running'::text]))))
) with (fillfactor=50);

create table pipelines (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  is_default boolean default false not null,
  lost_reason_required boolean default true not null,
  "position" integer not null,
  created_at timestamp(3) with time zone not null,
  version bigint default 1 not null,
  updated_at timestamp(3) with time zone default now() not null,
  constraint pipelines_pkey PRIMARY KEY (organization_id, id),
  constraint pipelines_default EXCLUDE USING btree (organization_id WITH =) WHERE (is_default) DEFERRABLE
);

create table product_sets (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  name text not null,
  description text,
  currency text,
  products_count integer not null,
  product_blocks jsonb default '[]'::jsonb not null,
  constraint product_sets_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=85);

create table products (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  product_set_id uuid not null,
  product_id text not null,
  name text not null,
  sku text,
  description text,
  price numeric,
  currency text,
  availability text,
  url text,
  image_urls jsonb not null,
  attributes jsonb not null,
  constraint products_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=85);
CREATE INDEX products_newest ON public.products USING btree (organization_id, product_set_id, created_at, id);

create table recovery_codes (
  user_id uuid not null,
  code_hash bytea not null,
  constraint recovery_codes_pkey PRIMARY KEY (user_id, code_hash)
);

create table request_counts (
  organization_id uuid not null,
  application_id uuid not null,
  day date not null,
  requests bigint not null,
  refusals bigint not null,
  constraint request_counts_pkey PRIMARY KEY (organization_id, application_id, day)
) with (fillfactor=50);

create table schema_migrations (
  name text not null,
  applied_at timestamp with time zone default now() not null,
  constraint schema_migrations_pkey PRIMARY KEY (name)
);

create table sessions (
  id uuid not null,
  secret_hash bytea not null,
  user_id uuid not null,
  created_at timestamp(3) with time zone not null,
  seen_at timestamp(3) with time zone not null,
  fresh_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  address_class text collate "C" not null,
  browser text not null,
  constraint sessions_pkey PRIMARY KEY (id)
);
CREATE INDEX sessions_of_user ON public.sessions USING btree (user_id);
CREATE UNIQUE INDEX sessions_secret ON public.sessions USING btree (secret_hash);

create table sign_in_failures (
  account_hash bytea not null,
  origin text collate "C" not null,
  failures integer not null,
  last_failed_at timestamp(3) with time zone not null,
  next_attempt_at timestamp(3) with time zone not null,
  constraint sign_in_failures_pkey PRIMARY KEY (account_hash, origin)
);

create table stages (
  organization_id uuid not null,
  id uuid not null,
  pipeline_id uuid not null,
  name text not null,
  type text not null,
  "position" integer not null,
  archived boolean default false not null,
  version bigint default 1 not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone default now() not null,
  constraint stages_pkey PRIMARY KEY (organization_id, id),
  constraint stages_type_check CHECK ((type = ANY (ARRAY['open'::text, 'won'::text, 'lost'::text])))
);
CREATE INDEX stages_of_pipeline ON public.stages USING btree (organization_id, pipeline_id, "position");

create table tags (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  color text,
  kinds text[] not null,
  created_at timestamp(3) with time zone not null,
  version bigint default 1 not null,
  updated_at timestamp(3) with time zone default now() not null,
  constraint tags_pkey PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX tags_name ON public.tags USING btree (organization_id, lower(name));

create table task_files (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  task_id uuid not null,
  name text not null,
  mime_type text not null,
  size_bytes integer not null,
  sha256 text not null,
  created_by_uuid uuid,
  application_id uuid,
  constraint task_files_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX task_files_in_order ON public.task_files USING btree (organization_id, task_id, created_at, id);

create table tasks (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by_application_id uuid,
  created_by_uuid uuid,
  updated_by_uuid uuid,
  title text not null,
  description text,
  type text not null,
  status text not null,
  priority text not null,
  assignee_uuid uuid,
  start_at timestamp(3) with time zone,
  due_date text collate "C",
  completed_at timestamp(3) with time zone,
  deal_id uuid,
  contact_id uuid,
  company_id uuid,
  checklist_items_total integer not null,
  checklist_items_done integer not null,
  files_count integer not null,
  custom_fields jsonb not null,
  tag_ids uuid[] not null,
  search_names text not null,
  search_contact_data text not null,
  search_custom_fields text not null,
  constraint tasks_pkey PRIMARY KEY (organization_id, id),
  constraint tasks_due_date_check CHECK ((due_date ~ '^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}\.\d{3}Z)?$'::text)),
  constraint tasks_status_check CHECK ((status = ANY (ARRAY['todo'::text, 'in_progress'::text, 'done'::text, 'canceled'::text])))
) with (fillfactor=85);
CREATE INDEX tasks_by_due_date ON public.tasks USING btree (organization_id, due_date, id) WHERE (title <> ''::text);
CREATE INDEX tasks_by_title ON public.tasks USING btree (organization_id, "left"(lower(regexp_replace(NORMALIZE(title, NFKD), '[\u0300-\u036f]+'::text, ''::text, 'g'::text)), 100) COLLATE "C", id) WHERE (title <> ''::text);
CREATE INDEX tasks_newest ON public.tasks USING btree (organization_id, created_at, id);
CREATE INDEX tasks_of_assignee ON public.tasks USING btree (organization_id, assignee_uuid) WHERE (assignee_uuid IS NOT NULL);
CREATE INDEX tasks_of_company ON public.tasks USING btree (organization_id, company_id, id) WHERE (company_id IS NOT NULL);
CREATE INDEX tasks_of_contact ON public.tasks USING btree (organization_id, contact_id, id) WHERE (contact_id IS NOT NULL);
CREATE INDEX tasks_of_deal ON public.tasks USING btree (organization_id, deal_id, id) WHERE (deal_id IS NOT NULL);
CREATE INDEX tasks_of_tag ON public.tasks USING gin (tag_ids) WITH (fastupdate=off) WHERE (tag_ids <> '{}'::uuid[]);
CREATE INDEX tasks_search_custom_fields ON public.tasks USING gin (organization_id, search_custom_fields gin_trgm_ops) WHERE (search_custom_fields <> ''::text);
CREATE INDEX tasks_search_names ON public.tasks USING gin (organization_id, search_names gin_trgm_ops) WITH (gin_pending_list_limit='1024');
CREATE INDEX tasks_search_words ON public.tasks USING gin (organization_id, string_to_array(translate(search_names, '-.,;:/()&"''’'::text, '            '::text), ' '::text)) WITH (fastupdate=off);

create table user_links (
  secret_hash bytea not null,
  kind text collate "C" not null,
  email text,
  name text,
  user_id uuid,
  organization_id uuid,
  role text collate "C",
  invited_by uuid,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  used_at timestamp(3) with time zone,
  mailed_hash bytea,
  constraint user_links_pkey PRIMARY KEY (secret_hash),
  constraint user_links_check CHECK (((kind = 'first'::text) = (email IS NULL))),
  constraint user_links_check1 CHECK (((organization_id IS NULL) = (role IS NULL))),
  constraint user_links_kind_check CHECK ((kind = ANY (ARRAY['sign_in'::text, 'first'::text, 'invitation'::text, 'reset'::text]))),
  constraint user_links_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'manager'::text, 'member'::text, 'read_only'::text])))
);
CREATE UNIQUE INDEX user_links_mailed ON public.user_links USING btree (mailed_hash);
CREATE INDEX user_links_of_organization ON public.user_links USING btree (organization_id);
CREATE INDEX user_links_of_person ON public.user_links USING btree (lower(email));

create table users (
  id uuid not null,
  email text not null,
  name text not null,
  locale text collate "C" default 'en'::text not null,
  active boolean default true not null,
  proven boolean default false not null,
  password_hash text,
  totp_secret text,
  totp_last_step bigint,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint users_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX users_email ON public.users USING btree (lower(email));

create table views (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  owner uuid not null,
  kind text collate "C" not null,
  name text not null,
  shared boolean not null,
  definition jsonb not null,
  constraint views_pkey PRIMARY KEY (organization_id, id)
);

create table webhook_failures (
  organization_id uuid not null,
  subscription_id uuid not null,
  at timestamp(3) with time zone not null,
  seq bigint not null,
  resource_id uuid,
  attempt smallint not null,
  status smallint,
  failure text collate "C" not null,
  took integer not null,
  derived_kind text collate "C",
  answer text,
  replay_id uuid,
  constraint webhook_failures_pkey PRIMARY KEY (organization_id, subscription_id, at, seq)
);
CREATE INDEX webhook_failures_answers ON public.webhook_failures USING btree (organization_id, resource_id) WHERE (answer IS NOT NULL);

create table webhook_leases (
  subscription_id uuid not null,
  worker uuid,
  until timestamp with time zone not null,
  constraint webhook_leases_pkey PRIMARY KEY (subscription_id)
) with (fillfactor=70);

create table webhook_notices (
  organization_id uuid not null,
  subscription_id uuid not null,
  paused_id uuid not null,
  paused_at timestamp(3) with time zone not null,
  reason text collate "C",
  settled_seq bigint not null,
  attempts smallint default 0 not null,
  next_at timestamp(3) with time zone not null,
  constraint webhook_notices_pkey PRIMARY KEY (organization_id, subscription_id, paused_id)
);

create table webhook_parked (
  organization_id uuid not null,
  subscription_id uuid not null,
  seq bigint not null,
  resource_id uuid not null,
  merged_seqs bigint[] default '{}'::bigint[] not null,
  attempts smallint not null,
  next_at timestamp(3) with time zone,
  last_status smallint,
  kinds text[] collate "C" default '{}'::text[] not null,
  constraint webhook_parked_pkey PRIMARY KEY (organization_id, subscription_id, seq)
) with (fillfactor=70);

create table webhook_positions (
  organization_id uuid not null,
  subscription_id uuid not null,
  token bigint not null,
  epoch bigint not null,
  settled_seq bigint not null,
  holes bytea default '\x'::bytea not null,
  state text collate "C" default 'active'::text not null,
  reason text collate "C",
  failures integer default 0 not null,
  failing_since timestamp(3) with time zone,
  resume_at timestamp(3) with time zone,
  changed_at timestamp(3) with time zone not null,
  pause_told_at timestamp(3) with time zone,
  constraint webhook_positions_pkey PRIMARY KEY (organization_id, subscription_id),
  constraint webhook_positions_holes_check CHECK ((octet_length(holes) <= 64)),
  constraint webhook_positions_state_check CHECK ((state = ANY (ARRAY['active'::text, 'held'::text, 'paused'::text])))
) with (fillfactor=50);

create table webhook_replays (
  organization_id uuid not null,
  id uuid not null,
  subscription_id uuid not null,
  created_at timestamp(3) with time zone not null,
  from_seq bigint not null,
  to_seq bigint not null,
  only_seqs bigint[],
  epoch bigint not null,
  token bigint default 0 not null,
  settled_seq bigint not null,
  holes bytea default '\x'::bytea not null,
  state text collate "C" default 'active'::text not null,
  reason text collate "C",
  failures integer default 0 not null,
  failing_since timestamp(3) with time zone,
  resume_at timestamp(3) with time zone,
  changed_at timestamp(3) with time zone not null,
  delivered bigint default 0 not null,
  failed bigint default 0 not null,
  gone bigint default 0 not null,
  constraint webhook_replays_pkey PRIMARY KEY (organization_id, id),
  constraint webhook_replays_check CHECK ((from_seq <= to_seq)),
  constraint webhook_replays_holes_check CHECK ((octet_length(holes) <= 64)),
  constraint webhook_replays_state_check CHECK ((state = ANY (ARRAY['active'::text, 'held'::text, 'paused'::text, 'ended'::text])))
) with (fillfactor=50);
CREATE INDEX webhook_replays_of_webhook ON public.webhook_replays USING btree (organization_id, subscription_id, created_at);

create table webhook_runs (
  organization_id uuid not null,
  subscription_id uuid not null,
  at timestamp(3) with time zone not null,
  from_seq bigint not null,
  to_seq bigint not null,
  distances integer[] not null,
  status smallint[] not null,
  took integer[] not null,
  sent integer[] not null,
  derived_kinds text[] collate "C",
  replay_id uuid,
  constraint webhook_runs_pkey PRIMARY KEY (organization_id, subscription_id, at, from_seq)
);

create table webhook_subscriptions (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  application_id uuid not null,
  name text not null,
  url text not null,
  kinds text[] not null,
  filter jsonb not null,
  changed_fields text[] not null,
  body text collate "C" not null,
  token_id text collate "C",
  scopes text[] not null,
  despite_networks boolean default false not null,
  own_changes text collate "C" not null,
  concurrency integer not null,
  headers text collate "C",
  header_names text[] default '{}'::text[] not null,
  headers_updated_at timestamp(3) with time zone,
  secret text collate "C",
  secret_updated_at timestamp(3) with time zone,
  former_secret text collate "C",
  former_secret_until timestamp(3) with time zone,
  enabled boolean default false not null,
  resumed_at timestamp(3) with time zone,
  from_seq bigint not null,
  from_epoch bigint not null,
  constraint webhook_subscriptions_pkey PRIMARY KEY (organization_id, id),
  constraint webhook_subscriptions_check CHECK (((headers IS NULL) = (headers_updated_at IS NULL))),
  constraint webhook_subscriptions_check1 CHECK (((secret IS NULL) = (secret_updated_at IS NULL))),
  constraint webhook_subscriptions_check2 CHECK (((former_secret IS NULL) = (former_secret_until IS NULL)))
);
CREATE INDEX webhook_subscriptions_of_application ON public.webhook_subscriptions USING btree (organization_id, application_id);

alter table agent_api_integrations add constraint agent_api_integrations_organization_id_agent_id_fkey FOREIGN KEY (organization_id, agent_id) REFERENCES agents(organization_id, id);
alter table agent_api_integrations add constraint agent_api_integrations_organization_id_api_integration_id_fkey FOREIGN KEY (organization_id, api_integration_id) REFERENCES api_integrations(organization_id, id);
alter table agent_knowledge_bases add constraint agent_knowledge_bases_organization_id_agent_id_fkey FOREIGN KEY (organization_id, agent_id) REFERENCES agents(organization_id, id);
alter table agent_knowledge_bases add constraint agent_knowledge_bases_organization_id_knowledge_base_id_fkey FOREIGN KEY (organization_id, knowledge_base_id) REFERENCES knowledge_bases(organization_id, id);
alter table agent_product_sets add constraint agent_product_sets_organization_id_agent_id_fkey FOREIGN KEY (organization_id, agent_id) REFERENCES agents(organization_id, id);
alter table agent_product_sets add constraint agent_product_sets_organization_id_product_set_id_fkey FOREIGN KEY (organization_id, product_set_id) REFERENCES product_sets(organization_id, id);
alter table ai_operators add constraint ai_operators_organization_id_agent_id_fkey FOREIGN KEY (organization_id, agent_id) REFERENCES agents(organization_id, id);
alter table ai_operators add constraint ai_operators_organization_id_id_fkey FOREIGN KEY (organization_id, id) REFERENCES channels(organization_id, id) ON DELETE CASCADE;
alter table api_tokens add constraint api_tokens_organization_id_application_id_fkey FOREIGN KEY (organization_id, application_id) REFERENCES applications(organization_id, id);
alter table applications add constraint applications_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id);
alter table bulk_job_errors add constraint bulk_job_errors_organization_id_job_id_fkey FOREIGN KEY (organization_id, job_id) REFERENCES bulk_jobs(organization_id, id);
alter table bulk_job_targets add constraint bulk_job_targets_organization_id_job_id_fkey FOREIGN KEY (organization_id, job_id) REFERENCES bulk_jobs(organization_id, id);
alter table bulk_jobs add constraint bulk_jobs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id);
alter table checklist_items add constraint checklist_items_organization_id_checklist_id_fkey FOREIGN KEY (organization_id, checklist_id) REFERENCES checklists(organization_id, id) ON DELETE CASCADE;
alter table checklists add constraint checklists_organization_id_task_id_fkey FOREIGN KEY (organization_id, task_id) REFERENCES tasks(organization_id, id) ON DELETE CASCADE;
alter table company_activities add constraint company_activities_organization_id_company_id_fkey FOREIGN KEY (organization_id, company_id) REFERENCES companies(organization_id, id);
alter table company_activities add constraint company_activities_organization_id_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contacts(organization_id, id);
alter table company_contacts add constraint company_contacts_organization_id_company_id_fkey FOREIGN KEY (organization_id, company_id) REFERENCES companies(organization_id, id) ON DELETE CASCADE;
alter table company_contacts add constraint company_contacts_organization_id_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contacts(organization_id, id);
alter table company_files add constraint company_files_organization_id_company_id_fkey FOREIGN KEY (organization_id, company_id) REFERENCES companies(organization_id, id);
alter table company_files add constraint company_files_organization_id_id_fkey FOREIGN KEY (organization_id, id) REFERENCES files(organization_id, id);
alter table contact_activities add constraint contact_activities_organization_id_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contacts(organization_id, id);
alter table contact_files add constraint contact_files_organization_id_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contacts(organization_id, id);
alter table contact_files add constraint contact_files_organization_id_id_fkey FOREIGN KEY (organization_id, id) REFERENCES files(organization_id, id);
alter table custom_field_definitions add constraint custom_field_definitions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id);
alter table deal_activities add constraint deal_activities_organization_id_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contacts(organization_id, id);
alter table deal_activities add constraint deal_activities_organization_id_deal_id_fkey FOREIGN KEY (organization_id, deal_id) REFERENCES deals(organization_id, id) ON DELETE CASCADE;
alter table deal_companies add constraint deal_companies_organization_id_company_id_fkey FOREIGN KEY (organization_id, company_id) REFERENCES companies(organization_id, id);
alter table deal_companies add constraint deal_companies_organization_id_deal_id_fkey FOREIGN KEY (organization_id, deal_id) REFERENCES deals(organization_id, id);
alter table deal_contacts add constraint deal_contacts_organization_id_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contacts(organization_id, id);
alter table deal_contacts add constraint deal_contacts_organization_id_deal_id_fkey FOREIGN KEY (organization_id, deal_id) REFERENCES deals(organization_id, id);
alter table deal_files add constraint deal_files_organization_id_deal_id_fkey FOREIGN KEY (organization_id, deal_id) REFERENCES deals(organization_id, id) ON DELETE CASCADE;
alter table deal_files add constraint deal_files_organization_id_id_fkey FOREIGN KEY (organization_id, id) REFERENCES files(organization_id, id);
alter table deal_items add constraint deal_items_organization_id_deal_id_fkey FOREIGN KEY (organization_id, deal_id) REFERENCES deals(organization_id, id) ON DELETE CASCADE;
alter table deal_stage_spans add constraint deal_stage_spans_organization_id_deal_id_fkey FOREIGN KEY (organization_id, deal_id) REFERENCES deals(organization_id, id) ON DELETE CASCADE;
alter table import_errors add constraint import_errors_organization_id_import_id_fkey FOREIGN KEY (organization_id, import_id) REFERENCES imports(organization_id, id) ON DELETE CASCADE;
alter table import_outcomes add constraint import_outcomes_organization_id_import_id_fkey FOREIGN KEY (organization_id, import_id) REFERENCES imports(organization_id, id) ON DELETE CASCADE;
alter table import_primaries add constraint import_primaries_organization_id_import_id_fkey FOREIGN KEY (organization_id, import_id) REFERENCES imports(organization_id, id) ON DELETE CASCADE;
alter table import_rehearsals add constraint import_rehearsals_organization_id_import_id_fkey FOREIGN KEY (organization_id, import_id) REFERENCES imports(organization_id, id) ON DELETE CASCADE;
alter table import_undo_kept add constraint import_undo_kept_organization_id_undo_id_fkey FOREIGN KEY (organization_id, undo_id) REFERENCES import_undos(organization_id, id) ON DELETE CASCADE;
alter table import_undos add constraint import_undos_organization_id_import_id_fkey FOREIGN KEY (organization_id, import_id) REFERENCES imports(organization_id, id) ON DELETE CASCADE;
alter table knowledge_files add constraint knowledge_files_organization_id_knowledge_base_id_fkey FOREIGN KEY (organization_id, knowledge_base_id) REFERENCES knowledge_bases(organization_id, id) ON DELETE CASCADE;
alter table lost_reason_categories add constraint lost_reason_categories_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id);
alter table lost_reason_categories add constraint lost_reason_categories_organization_id_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipelines(organization_id, id);
alter table memberships add constraint memberships_organization_id_id_fkey FOREIGN KEY (organization_id, id) REFERENCES operators(organization_id, id);
alter table operators add constraint operators_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id);
alter table phone_normalizations add constraint phone_normalizations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id);
alter table pipelines add constraint pipelines_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id);
alter table products add constraint products_organization_id_product_set_id_fkey FOREIGN KEY (organization_id, product_set_id) REFERENCES product_sets(organization_id, id) ON DELETE CASCADE;
alter table recovery_codes add constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table request_counts add constraint request_counts_organization_id_application_id_fkey FOREIGN KEY (organization_id, application_id) REFERENCES applications(organization_id, id) ON DELETE CASCADE;
alter table sessions add constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table stages add constraint stages_organization_id_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipelines(organization_id, id);
alter table tags add constraint tags_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id);
alter table task_files add constraint task_files_organization_id_id_fkey FOREIGN KEY (organization_id, id) REFERENCES files(organization_id, id);
alter table task_files add constraint task_files_organization_id_task_id_fkey FOREIGN KEY (organization_id, task_id) REFERENCES tasks(organization_id, id) ON DELETE CASCADE;
alter table tasks add constraint tasks_organization_id_company_id_fkey FOREIGN KEY (organization_id, company_id) REFERENCES companies(organization_id, id);
alter table tasks add constraint tasks_organization_id_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contacts(organization_id, id);
alter table tasks add constraint tasks_organization_id_deal_id_fkey FOREIGN KEY (organization_id, deal_id) REFERENCES deals(organization_id, id);
alter table user_links add constraint user_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table webhook_failures add constraint webhook_failures_organization_id_subscription_id_fkey FOREIGN KEY (organization_id, subscription_id) REFERENCES webhook_positions(organization_id, subscription_id) ON DELETE CASCADE;
alter table webhook_notices add constraint webhook_notices_organization_id_paused_id_fkey FOREIGN KEY (organization_id, paused_id) REFERENCES webhook_subscriptions(organization_id, id) ON DELETE CASCADE;
alter table webhook_notices add constraint webhook_notices_organization_id_subscription_id_fkey FOREIGN KEY (organization_id, subscription_id) REFERENCES webhook_subscriptions(organization_id, id) ON DELETE CASCADE;
alter table webhook_parked add constraint webhook_parked_organization_id_subscription_id_fkey FOREIGN KEY (organization_id, subscription_id) REFERENCES webhook_positions(organization_id, subscription_id) ON DELETE CASCADE;
alter table webhook_positions add constraint webhook_positions_organization_id_subscription_id_fkey FOREIGN KEY (organization_id, subscription_id) REFERENCES webhook_subscriptions(organization_id, id) ON DELETE CASCADE;
alter table webhook_replays add constraint webhook_replays_organization_id_subscription_id_fkey FOREIGN KEY (organization_id, subscription_id) REFERENCES webhook_subscriptions(organization_id, id) ON DELETE CASCADE;
alter table webhook_runs add constraint webhook_runs_organization_id_subscription_id_fkey FOREIGN KEY (organization_id, subscription_id) REFERENCES webhook_positions(organization_id, subscription_id) ON DELETE CASCADE;
alter table webhook_subscriptions add constraint webhook_subscriptions_organization_id_application_id_fkey FOREIGN KEY (organization_id, application_id) REFERENCES applications(organization_id, id);
