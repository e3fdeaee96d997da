import { statement } from '../../../kernel/sql/index.ts'

/** $1 organization, $2 knowledge base: how many passages its files have; no row if there is no such base. */
export const selectBaseSize = statement(
  'select_knowledge_base_size',
  `select coalesce((select sum(c.passages) from knowledge_contents c
                     where c.organization_id = $1 and c.knowledge_base_id = $2), 0)::integer as passages
     from knowledge_bases b where b.organization_id = $1 and b.id = $2`,
)

/**
 * $1 organization, $2 knowledge base, $3 words of a question with their positions and languages, as JSON, $4 the language of the question
 * or null, $5 the most words of the base to compare with each. Stop words are removed. Returns for each position the matching words of the
 * base: other inflections of the same word, words that contain it, words with which it begins or ends, and similar words.
 */
export const selectMeantWords = statement(
  'select_meant_knowledge_words',
  `with asked as (
     select distinct a.place, l.lexeme
       from jsonb_to_recordset($3::jsonb) as a(place integer, word text, language text)
      cross join lateral unnest(to_tsvector(a.language::regconfig, a.word)) as l
      where $4::text is null or to_tsvector($4::text::regconfig, a.word) <> ''::tsvector)
   select a.place, a.lexeme as asked, m.word, m.passages, m.how
     from asked a
    cross join lateral (
      (select k.word, k.passages, 'same' as how from knowledge_words k
        where k.organization_id = $1 and k.knowledge_base_id = $2 and k.word = a.lexeme)
      union all
      (select k.word, k.passages, 'longer' from (
         select w.word, w.passages from knowledge_words w
          where length(a.lexeme) >= 4 and w.organization_id = $1 and w.knowledge_base_id = $2
            and w.word like '%' || a.lexeme || '%' and w.word <> a.lexeme
          limit $5) as k
        order by length(k.word), k.word limit 12)
      union all
      (select k.word, k.passages, 'part' from knowledge_words k
        where length(a.lexeme) >= 8 and k.organization_id = $1 and k.knowledge_base_id = $2
          and k.word = any (array(select part from generate_series(4, length(a.lexeme) - 1) as n
                                  cross join lateral (values (left(a.lexeme, n)), (right(a.lexeme, n))) as of_word(part))))
      union all
      (select k.word, k.passages, 'similar' from (
         select w.word, w.passages from knowledge_words w
          where length(a.lexeme) >= 4 and w.organization_id = $1 and w.knowledge_base_id = $2
            and w.word % a.lexeme and w.word <> a.lexeme
          limit $5) as k
        order by similarity(k.word, a.lexeme) desc, k.word limit 12)) as m`,
)

/**
 * $1 organization, $2 knowledge base, $3 the words to search, $4 the words that count, with their positions and weights, as JSON, $5 the
 * most passages to rank, $6 the most to return, $7 the average length of a passage. Returns the best passages of files that are ready.
 */
export const searchPassages = statement(
  'search_knowledge_passages',
  `with asked as materialized (
     select a.place, a.word::tsquery as word, a.weight
       from jsonb_to_recordset($4::jsonb) as a(place integer, word text, weight double precision)),
   found as materialized (
     select p.content_id, p.number, p.words, p.length, f.file_id, f.name
       from knowledge_passages p
       join knowledge_files f on f.organization_id = $1 and f.content_id = p.content_id and f.status = 'ready'
      where p.organization_id = $1 and p.knowledge_base_id = $2 and p.words @@ $3::tsquery
      limit $5),
   scored as (
     select found.content_id, found.number, found.file_id, found.name,
            sum(placed.best) / (0.6 + 0.4 * sqrt(greatest(found.length, 8) / $7::double precision)) as score
       from found
      cross join lateral (
        select a.place, max(a.weight * ts_rank('{1, 0.5, 1, 1}', found.words, a.word)) as best
          from asked a where found.words @@ a.word group by a.place) as placed
      group by found.content_id, found.number, found.file_id, found.name, found.length
      order by score desc, found.content_id, found.number
      limit $6)
   select s.file_id as "fileId", s.name as "fileName", p.text, p.heading, p.page, p.sheet, p.line as row, s.number as position,
          round(s.score::numeric, 3)::float8 as score
     from scored s
     join knowledge_passages p on p.organization_id = $1 and p.content_id = s.content_id and p.number = s.number
    order by s.score desc, s.content_id, s.number`,
)
