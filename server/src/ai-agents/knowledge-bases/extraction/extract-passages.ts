import { stat } from 'node:fs/promises'
import { type ReadFile, readingTime, type SandboxProgram } from '../../../kernel/sandbox/index.ts'
import { knowledgeBounds } from '../knowledge-bounds.ts'
import type { ExtractionTask } from './extraction-process.ts'
import type { FileKind } from './file-kind.ts'

const program: SandboxProgram = {
  path: 'ai-agents/knowledge-bases/extraction/extraction-process',
  memory: knowledgeBounds.knowledgeMemory.most,
}

interface Extraction {
  readonly kind: FileKind
  readonly source: string
  /** Where the passages are written, as lines of JSON. */
  readonly result: string
}

/**
 * Has the passages of a file written. Resolves to how many there are. Throws `UnreadableFile` with the reason why there are none, and
 * what `Sandbox.run` throws.
 */
export async function extractPassages({ kind, source, result }: Extraction, read: ReadFile): Promise<number> {
  const task: ExtractionTask = {
    kind,
    passages: knowledgeBounds.knowledgePassages.most,
    text: knowledgeBounds.knowledgeText.most,
  }
  const milliseconds = readingTime('jobs', (await stat(source)).size)
  const count = await read({ program, source, result, task, milliseconds })
  if (typeof count !== 'number') throw new Error('the process that reads a file has not counted its passages')
  return count
}
