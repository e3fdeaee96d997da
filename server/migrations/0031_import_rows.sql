-- In steps.
-- Phone numbers without an international form are found by all that they have, and no longer by digits alone. Records that are written from now
-- on have that word; these get it. Accents other than those of Latin, Greek and Cyrillic letters go when the record is written next.
-- Without `concat_ws`, which is stable: a cluster refuses a stable function of columns in an update.
update contacts t
   set search_contact_data = btrim(t.search_contact_data || coalesce((
     select ' ' || string_agg(distinct w.word, ' ')
       from jsonb_path_query(t.contact_data, '$.phones[*] ? (@.e164 == null).value') as p(value)
      cross join lateral (
        select translate(
                 lower(regexp_replace(normalize(p.value #>> '{}', nfkd), '[\s\u0300-\u036f]+', '', 'g')),
                 '«»‹›„“”‟‘’‚‛‐‒–—―−ς', '""""""""''''''''------σ') as whole offset 0) as n
      cross join lateral (
        select case when n.whole ~ '^[0-9()+./-]+$' and length(regexp_replace(n.whole, '[^0-9]', '', 'g')) >= 3
                 then regexp_replace(n.whole, '[^0-9]', '', 'g') else n.whole end as word) as w
      where w.word <> '' and w.word <> all (string_to_array(t.search_contact_data, ' '))), ''))
 where jsonb_path_exists(t.contact_data, '$.phones[*] ? (@.e164 == null)');
-- step
update companies t
   set search_contact_data = btrim(t.search_contact_data || coalesce((
     select ' ' || string_agg(distinct w.word, ' ')
       from jsonb_path_query(t.contact_data, '$.phones[*] ? (@.e164 == null).value') as p(value)
      cross join lateral (
        select translate(
                 lower(regexp_replace(normalize(p.value #>> '{}', nfkd), '[\s\u0300-\u036f]+', '', 'g')),
                 '«»‹›„“”‟‘’‚‛‐‒–—―−ς', '""""""""''''''''------σ') as whole offset 0) as n
      cross join lateral (
        select case when n.whole ~ '^[0-9()+./-]+$' and length(regexp_replace(n.whole, '[^0-9]', '', 'g')) >= 3
                 then regexp_replace(n.whole, '[^0-9]', '', 'g') else n.whole end as word) as w
      where w.word <> '' and w.word <> all (string_to_array(t.search_contact_data, ' '))), ''))
 where jsonb_path_exists(t.contact_data, '$.phones[*] ? (@.e164 == null)');
-- step
-- What became of the rows of an import, until it stands in its file of rows: of a chunk of rows the lines of that file.

create table import_outcomes (
  organization_id uuid not null,
  import_id uuid not null,
  line integer not null,
  outcomes text not null,
  foreign key (organization_id, import_id) references imports (organization_id, id) on delete cascade
);
alter table import_outcomes add primary key (organization_id, import_id, line);

alter table imports add column rows_file_id uuid;
