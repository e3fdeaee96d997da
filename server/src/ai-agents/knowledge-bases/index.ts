import { create, get, listAll, type Module, namedList, update } from '../../kernel/index.ts'
import { indexJob } from './indexing/index-job.ts'
import { removalJob } from './indexing/removal-job.ts'
import { knowledgeBase } from './knowledge-base.ts'
import { knowledgeFile } from './knowledge-file.ts'
import { knowledgeUpkeep } from './knowledge-upkeep.ts'
import { putFile } from './put-file.ts'
import { removeBase } from './remove-base.ts'
import { removeFile } from './remove-file.ts'

export { knowledgeBase } from './knowledge-base.ts'
export { type FoundPassage, findPassages } from './search/find-passages.ts'

/** What AI agents know: knowledge bases, their files, and what is found in them (contract section 13.1). */
export const knowledgeBases: Module = {
  resources: [knowledgeBase, knowledgeFile],
  operations: [
    listAll(knowledgeBase),
    create(knowledgeBase),
    get(knowledgeBase),
    update(knowledgeBase),
    removeBase,
    namedList(knowledgeFile),
    putFile,
    removeFile,
  ],
  jobs: [indexJob, removalJob],
  upkeep: [knowledgeUpkeep],
}
