-- What /search needs beside the trigram indexes: whole words, and custom fields.
--
-- The words are those of the columns that every release writes, split by PostgreSQL itself. So there is nothing to fill
-- in, and a server of the release before, which runs on beside this for a while, is found as well. The expressions
-- stand in server/src/kernel/abilities/search-conditions.ts once more, character by character.
create index contacts_search_words on contacts using gin (
  organization_id,
  string_to_array(translate(search_names, '-.,;:/()&"''’', '            '), ' '),
  string_to_array(search_contact_data, ' ')
) with (fastupdate = off);
create index companies_search_words on companies using gin (
  organization_id,
  string_to_array(translate(search_names, '-.,;:/()&"''’', '            '), ' '),
  string_to_array(search_contact_data, ' ')
) with (fastupdate = off);
create index deals_search_words on deals using gin (
  organization_id,
  string_to_array(translate(search_names, '-.,;:/()&"''’', '            '), ' ')
) with (fastupdate = off);
create index tasks_search_words on tasks using gin (
  organization_id,
  string_to_array(translate(search_names, '-.,;:/()&"''’', '            '), ' ')
) with (fastupdate = off);

-- Most records have no custom fields, and take no part.
create index contacts_search_custom_fields on contacts using gin (organization_id, search_custom_fields gin_trgm_ops)
  where search_custom_fields <> '';
create index companies_search_custom_fields on companies using gin (organization_id, search_custom_fields gin_trgm_ops)
  where search_custom_fields <> '';
create index deals_search_custom_fields on deals using gin (organization_id, search_custom_fields gin_trgm_ops)
  where search_custom_fields <> '';
create index tasks_search_custom_fields on tasks using gin (organization_id, search_custom_fields gin_trgm_ops)
  where search_custom_fields <> '';

-- What was written last waits in a list beside an index, in KiB, which every search reads to its end. A short list makes
-- searches quick also after an import; the writer that fills it sorts it in. The lists of whole words are the shortest: a
-- search for similar words reads one some hundred times. Without a list each writer would pay half as much again.
alter index contacts_search_names set (gin_pending_list_limit = 1024);
alter index contacts_search_contact_data set (gin_pending_list_limit = 1024);
alter index companies_search_names set (gin_pending_list_limit = 1024);
alter index companies_search_contact_data set (gin_pending_list_limit = 1024);
alter index deals_search_names set (gin_pending_list_limit = 1024);
alter index tasks_search_names set (gin_pending_list_limit = 1024);
