-- Knowledge bases of AI agents and their files. The bytes lie in the store of files; `content_id` is the stored file, a new one
-- whenever other bytes are uploaded.
create table knowledge_bases (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  name text not null,
  description text,
  files_count integer not null,
  size_bytes bigint not null
) with (fillfactor = 70);
create index knowledge_bases_newest on knowledge_bases (organization_id, created_at, id);
alter table knowledge_bases add primary key (organization_id, id);

create table knowledge_files (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  knowledge_base_id uuid not null,
  -- The id that the client chose.
  file_id text not null,
  name text not null,
  mime_type text not null,
  size_bytes integer not null,
  sha256 text not null,
  status text not null,
  error jsonb,
  content_id uuid not null,
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
) with (fillfactor = 85);
create unique index knowledge_files_chosen on knowledge_files (organization_id, knowledge_base_id, file_id);
create index knowledge_files_newest on knowledge_files (organization_id, knowledge_base_id, created_at, id);
create unique index knowledge_files_content on knowledge_files (organization_id, content_id);
create index knowledge_files_unread on knowledge_files (organization_id, knowledge_base_id)
  where status in ('queued', 'indexing');
create index knowledge_files_failed on knowledge_files (organization_id, knowledge_base_id) where status = 'failed';
alter table knowledge_files add primary key (organization_id, id);

create table agent_knowledge_bases (
  organization_id uuid not null,
  agent_id uuid not null,
  knowledge_base_id uuid not null,
  position integer not null,
  foreign key (organization_id, agent_id) references agents (organization_id, id),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id)
);
create index agent_knowledge_bases_of_base on agent_knowledge_bases (organization_id, knowledge_base_id);
alter table agent_knowledge_bases add primary key (organization_id, agent_id, knowledge_base_id);

-- The index. A content is made of passages that are added while its file is read, and taken away after the file was
-- removed or replaced; what is found is decided by `knowledge_files`. So these tables refer to none of those.
create table knowledge_contents (
  organization_id uuid not null,
  id uuid not null,
  knowledge_base_id uuid not null,
  passages integer not null
) with (fillfactor = 70);
create index knowledge_contents_of_base on knowledge_contents (organization_id, knowledge_base_id);
alter table knowledge_contents add primary key (organization_id, id);

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
  -- How many words it has: a word tells more of a short passage.
  length integer not null,
  words tsvector not null
);
create index knowledge_passages_words on knowledge_passages using gin (organization_id, knowledge_base_id, words)
  with (fastupdate = off);
alter table knowledge_passages add primary key (organization_id, content_id, number);

-- The different words of a base, in how many passages each stands, and what tells similar ones.
create table knowledge_words (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  word text not null,
  passages integer not null
) with (fillfactor = 70);
create index knowledge_words_similar on knowledge_words using gin (organization_id, knowledge_base_id, word gin_trgm_ops)
  with (fastupdate = off);
alter table knowledge_words add primary key (organization_id, knowledge_base_id, word);
