import { claimedStatement, statement } from '../../../kernel/sql/index.ts'

/**
 * $1 organization, $2 knowledge base, $3 content, $4 passages as JSON: stores passages, counts their words, and updates the number of
 * passages of their content. Words in headings and in the name of the file have more weight than words in the text.
 */
export const insertPassages = statement(
  'insert_knowledge_passages',
  `with sent as (
     select * from jsonb_to_recordset($4::jsonb) as s(number integer, language text, text text, heading text, page integer,
                   sheet text, line integer, length integer, words text, "headingWords" text, "nameWords" text)),
   stored as (
     insert into knowledge_passages
       (organization_id, knowledge_base_id, content_id, number, text, heading, page, sheet, line, length, words)
     select $1, $2, $3, s.number, s.text, s.heading, s.page, s.sheet, s.line, s.length,
            to_tsvector(s.language::regconfig, s.words)
            || setweight(to_tsvector(s.language::regconfig, s."headingWords"), 'B')
            || setweight(to_tsvector(s.language::regconfig, s."nameWords"), 'C')
       from sent s
     returning words),
   counted as (
     select w.word, count(*)::integer as passages from stored, unnest(tsvector_to_array(stored.words)) as w(word) group by 1),
   known as (
     insert into knowledge_words (organization_id, knowledge_base_id, word, passages)
     select $1, $2, c.word, c.passages from counted c order by c.word
     on conflict (organization_id, knowledge_base_id, word)
       do update set passages = knowledge_words.passages + excluded.passages)
   insert into knowledge_contents (organization_id, id, knowledge_base_id, passages)
   select $1, $3, $2, count(*) from stored
   on conflict (organization_id, id) do update set passages = knowledge_contents.passages + excluded.passages`,
)

/** $1 organization, $2 content: how many of its passages are stored, and how many passages the organization has in all. */
export const selectIndexed = claimedStatement(
  'select_indexed_knowledge',
  `select coalesce(sum(c.passages) filter (where c.id = $2), 0)::integer as passages,
          coalesce(sum(c.passages), 0)::bigint as "ofOrganization"
     from knowledge_contents c where c.organization_id = $1`,
)

/** $1 organization, $2 content, $3 status, $4 error. */
export const setFileStatus = statement(
  'set_knowledge_file_status',
  `update knowledge_files f set status = $3, error = $4::jsonb
    where f.organization_id = $1 and f.content_id = $2 returning f.id`,
)

/** $1 organization, $2 content: the file that has it, and the name of the file. */
export const selectFileOfContent = statement(
  'select_knowledge_file_of_content',
  `select f.id, f.knowledge_base_id as "baseId", f.name, f.status from knowledge_files f
    where f.organization_id = $1 and f.content_id = $2`,
)

/**
 * $1 organization, $2 most: removes passages that no longer belong to a file, and their words, from one content at a time. Returns their
 * number, and no row when there are none.
 */
export const removePassages = statement(
  'remove_knowledge_passages',
  `with gone as (
     select c.id, c.knowledge_base_id from knowledge_contents c
      where c.organization_id = $1
        and not exists (select 1 from knowledge_files f where f.organization_id = $1 and f.content_id = c.id)
      order by c.id limit 1 for update),
   removed as (
     delete from knowledge_passages p using gone
      where p.organization_id = $1 and p.content_id = gone.id
        and p.number in (select n.number from knowledge_passages n
                          where n.organization_id = $1 and n.content_id = gone.id order by n.number limit $2)
     returning p.words),
   counted as (
     select w.word, count(*)::integer as passages from removed, unnest(tsvector_to_array(removed.words)) as w(word)
      group by 1),
   locked as (
     select k.word, c.passages from counted c join gone on true
       join knowledge_words k on k.organization_id = $1 and k.knowledge_base_id = gone.knowledge_base_id and k.word = c.word
      order by k.word for update of k),
   fewer as (
     update knowledge_words k set passages = k.passages - locked.passages from locked, gone
      where k.organization_id = $1 and k.knowledge_base_id = gone.knowledge_base_id and k.word = locked.word
        and k.passages > locked.passages),
   none as (
     delete from knowledge_words k using locked, gone
      where k.organization_id = $1 and k.knowledge_base_id = gone.knowledge_base_id and k.word = locked.word
        and k.passages <= locked.passages),
   left_over as (
     update knowledge_contents c set passages = greatest(c.passages - (select count(*) from removed), 0) from gone
      where c.organization_id = $1 and c.id = gone.id and (select count(*) from removed) > 0),
   ended as (
     delete from knowledge_contents c using gone
      where c.organization_id = $1 and c.id = gone.id and (select count(*) from removed) = 0)
   select gone.id, (select count(*)::integer from removed) as passages from gone`,
)

/** $1 organization: whether `removePassages` has anything to remove. */
export const selectLeftOver = statement(
  'select_left_over_knowledge',
  `select c.id from knowledge_contents c
    where c.organization_id = $1
      and not exists (select 1 from knowledge_files f where f.organization_id = $1 and f.content_id = c.id)
    limit 1`,
)

/** $1 organization: the contents of files that are not indexed yet, up to 1,000, to queue missing jobs for them. */
export const selectUnread = statement(
  'select_unread_knowledge_files',
  `select f.content_id as id from knowledge_files f
    where f.organization_id = $1 and f.status in ('queued', 'indexing') limit 1000`,
)

/** $1 an organization: the next organizations after it that have knowledge bases. */
export const selectOrganizationsWithKnowledge = statement(
  'select_organizations_with_knowledge',
  `select o.id from organizations o
    where o.id > $1
      and (exists (select 1 from knowledge_bases b where b.organization_id = o.id)
        or exists (select 1 from knowledge_contents c where c.organization_id = o.id))
    order by o.id limit 500`,
)
