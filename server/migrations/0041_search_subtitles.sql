-- In steps.
-- A search of all kinds also looks for words of job titles and industries. As for names, PostgreSQL splits the columns itself, so there is
-- nothing to fill in, and what a server of the release before writes is found as well. The expression is in
-- server/src/kernel/abilities/search-conditions.ts too.
create index concurrently if not exists contacts_search_subtitle on contacts using gin (
  organization_id,
  string_to_array(translate(lower(regexp_replace(normalize(job_title, NFKD), '[\u0300-\u036f]+', '', 'g')), '-.,;:/()&"''’«»‹›„“”‟‘‚‛‐‒–—―−ς', '                             σ'), ' ')
) with (fastupdate = off) where job_title is not null;
-- step
create index concurrently if not exists companies_search_subtitle on companies using gin (
  organization_id,
  string_to_array(translate(lower(regexp_replace(normalize(industry, NFKD), '[\u0300-\u036f]+', '', 'g')), '-.,;:/()&"''’«»‹›„“”‟‘‚‛‐‒–—―−ς', '                             σ'), ' ')
) with (fastupdate = off) where industry is not null;
-- step
-- PostgreSQL learns how frequent the words are.
analyze contacts, companies;
