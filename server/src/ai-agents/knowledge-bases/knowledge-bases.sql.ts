import { Lookup } from '../../kernel/index.ts'
import { claimedStatement, statement } from '../../kernel/sql/index.ts'

/** $1 organization: the total size of the files of all its knowledge bases, in bytes. */
export const knowledgeBytes = new Lookup(
  claimedStatement(
    'select_knowledge_bytes',
    'select coalesce(sum(b.size_bytes), 0)::bigint as bytes from knowledge_bases b where b.organization_id = $1',
  ),
  [],
  ([row]) => Number(row?.bytes),
)

/** $1 organization, $2 knowledge base: the stored files of a knowledge base that is removed. */
export const lockFilesOfBase = statement(
  'lock_files_of_knowledge_base',
  `select f.id, f.size_bytes as size from files f
    where f.organization_id = $1
      and f.id = any (array(select k.content_id from knowledge_files k
                             where k.organization_id = $1 and k.knowledge_base_id = $2))
    order by f.id
      for update`,
)
