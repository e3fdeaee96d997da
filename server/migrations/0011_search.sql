-- What /search needs beside the trigram indexes: whole words, and custom fields.
--
-- The words are those of the columns that every release writes, split by PostgreSQL itself. So there is nothing to fill
-- in, and a server of the release before, which runs on beside this for a while, is found as well. The expressions
-- stand in server/src/kernel/abilities/search-conditions.ts once more, character by character.
create index contacts_search_words on contacts using gin (
  organization_id,
  string_to_array(translate(search_names, '-.,;:/()&"''’', '            '), ' '),
  string_to_array(search_contact_data, ' ')
);
create index companies_search_words on companies using gin (
  organization_id,
  string_to_array(translate(search_names, '-.,;:/()&"''’', '            '), ' '),
  string_to_array(search_contact_data, ' ')
);
create index deals_search_words on deals using gin (
  organization_id,
  string_to_array(translate(search_names, '-.,;:/()&"''’', '            '), ' ')
);
create index tasks_search_words on tasks using gin (
  organization_id,
  string_to_array(translate(search_names, '-.,;:/()&"''’', '            '), ' ')
);

-- Most records have no custom fields, and take no part.
create index contacts_search_custom_fields on contacts using gin (organization_id, search_custom_fields gin_trgm_ops)
  where search_custom_fields <> '';
create index companies_search_custom_fields on companies using gin (organization_id, search_custom_fields gin_trgm_ops)
  where search_custom_fields <> '';
create index deals_search_custom_fields on deals using gin (organization_id, search_custom_fields gin_trgm_ops)
  where search_custom_fields <> '';
create index tasks_search_custom_fields on tasks using gin (organization_id, search_custom_fields gin_trgm_ops)
  where search_custom_fields <> '';
