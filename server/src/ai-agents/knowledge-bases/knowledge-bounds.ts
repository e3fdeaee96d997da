import { type Bounds, mebibyte, unreadable } from '../../kernel/limits/index.ts'

/** Bounds of knowledge bases. */
export const knowledgeBounds = {
  organizationKnowledgeBases: {
    most: 100,
    unit: 'entries',
    of: 'knowledge bases of one organization',
    beyond: unreadable,
  },
  knowledgeFiles: { most: 1000, unit: 'entries', of: 'files of one knowledge base', beyond: unreadable },
  organizationKnowledgeBytes: {
    most: 8192 * mebibyte,
    unit: 'bytes',
    of: 'files of all knowledge bases of one organization',
    beyond: unreadable,
  },
  knowledgePassages: {
    most: 50_000,
    unit: 'entries',
    of: 'passages, such as paragraphs and rows, of one file of a knowledge base',
    beyond: 'the file fails with `too_many_passages`',
  },
  knowledgeText: {
    most: 32 * mebibyte,
    unit: 'bytes',
    of: 'passages of one file of a knowledge base, each with its headings',
    beyond: 'the file fails with `too_much_text`',
  },
  organizationPassages: {
    most: 1_000_000,
    unit: 'entries',
    of: 'passages of all knowledge bases of one organization',
    beyond: 'the file fails with `no_room`',
  },
  knowledgeMemory: {
    most: 768 * mebibyte,
    unit: 'bytes',
    of: 'memory of the process that parses a file of a knowledge base',
    beyond: 'the process is killed, and the file fails with `too_large`',
  },
  knowledgeChunk: {
    most: 100,
    unit: 'entries',
    of: 'passages stored or removed in one transaction',
    beyond: 'goes to the next transaction',
  },
  knowledgeQuestion: {
    most: 24,
    unit: 'values',
    of: 'different words of a question that a search uses',
    beyond: 'only the first are used',
  },
  knowledgeWords: {
    most: 5000,
    unit: 'entries',
    of: 'words of a knowledge base that are compared with a word of a question',
    beyond: 'ignored: only the same word is sure to be found',
  },
  knowledgeCandidates: {
    most: 4000,
    unit: 'entries',
    of: 'passages that a question ranks',
    beyond: 'passages with only the more frequent of its words are not ranked',
  },
} as const satisfies Bounds
