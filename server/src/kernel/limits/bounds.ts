import type { Bound } from './bound.ts'
import { knowledgeBounds } from './knowledge-bounds.ts'

export type { Bound } from './bound.ts'

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

const retried = '503 with `Retry-After`; nothing was executed'
const malformed = '400 `validation_error`'
const unreadable = '422 `validation_error`'

/**
 * The bounds of everything that clients can make the server hold or do (contract section 17.33). The code that enforces
 * a bound reads it here, and the table in docs/operations.md is made from here.
 */
export const bounds = {
  connections: { most: 2000, unit: 'connections', of: 'open connections', beyond: 'closed when it is opened' },
  connectionRequests: {
    most: 16,
    unit: 'requests',
    of: 'requests of one connection that wait for the one before them',
    beyond: `${retried}, and the connection is closed`,
  },
  connectionSilence: {
    most: 15_000,
    unit: 'milliseconds',
    of: 'time in which nothing comes on a new connection, or of a request that has begun',
    beyond: 'the connection is closed',
  },
  unreadAnswer: {
    most: 30_000,
    unit: 'milliseconds',
    of: 'time in which nothing of an answer is read',
    beyond: 'the connection is closed',
  },
  organizationRequests: {
    most: 256,
    unit: 'requests',
    of: 'requests of one organization that are not answered, or whose answers are not read',
    beyond: retried,
  },
  processRequests: { most: 1024, unit: 'requests', of: 'the same of all organizations', beyond: retried },
  organizationBodyBytes: {
    most: 24 * mebibyte,
    unit: 'bytes',
    of: 'request bodies of one organization that have come',
    beyond: retried,
  },
  processBodyBytes: { most: 64 * mebibyte, unit: 'bytes', of: 'the same of all organizations', beyond: retried },
  organizationSpoolBytes: {
    most: 256 * mebibyte,
    unit: 'bytes',
    of: 'multipart bodies of one organization whose files are on disk',
    beyond: retried,
  },
  processSpoolBytes: { most: 1024 * mebibyte, unit: 'bytes', of: 'the same of all organizations', beyond: retried },
  formParts: { most: 100, unit: 'entries', of: 'parts of a multipart body', beyond: malformed },
  organizationAnswerBytes: {
    most: 32 * mebibyte,
    unit: 'bytes',
    of: 'answers of one organization that are not read',
    beyond: `further requests: ${retried}`,
  },
  processAnswerBytes: {
    most: 96 * mebibyte,
    unit: 'bytes',
    of: 'the same of all organizations',
    beyond: `further requests: ${retried}`,
  },
  streamedAnswer: {
    most: 600_000,
    unit: 'milliseconds',
    of: 'time that one streamed answer takes',
    beyond: 'the connection is closed',
  },
  large: {
    most: 256 * kibibyte,
    unit: 'bytes',
    of: 'a body, or the rows of an answer, that is handled without waiting for other large ones',
    beyond: 'waits for its turn, and is handled in slices',
  },
  organizationLarge: {
    most: 1,
    unit: 'places',
    of: 'large bodies and answers of one organization that are handled at a time',
    beyond: 'waits for its turn',
  },
  processLarge: { most: 2, unit: 'places', of: 'the same of all organizations', beyond: 'waits for its turn' },
  largePlace: {
    most: 10_000,
    unit: 'milliseconds',
    of: 'time in which something large waits for its turn',
    beyond: retried,
  },
  largePart: {
    most: 64 * kibibyte,
    unit: 'bytes',
    of: 'a part of the rows of a large answer that is taken in without a pause',
    beyond: 'goes on in a later turn of the event loop',
  },
  slice: {
    most: 2,
    unit: 'milliseconds',
    of: 'work on something large without a pause for others',
    beyond: 'goes on in a later turn of the event loop',
  },
  place: {
    most: 3000,
    unit: 'milliseconds',
    of: 'time in which a request waits for a place at the database, of which one organization has half at most',
    beyond: retried,
  },
  organizationSearches: {
    most: 1,
    unit: 'places',
    of: 'searches of one organization that run at a time',
    beyond: 'waits for a place',
  },
  organizationReports: {
    most: 1,
    unit: 'places',
    of: 'reports of one organization that run at a time',
    beyond: 'waits for a place',
  },
  processReports: { most: 2, unit: 'places', of: 'the same of all organizations', beyond: 'waits for a place' },
  queueConnections: {
    most: 3,
    unit: 'connections',
    of: 'connections of the job queue to the database, of which one listens',
    beyond: 'waits for one',
  },
  processJobs: {
    most: 4,
    unit: 'places',
    of: 'jobs that a process runs at a time, of which one organization has one of each kind',
    beyond: 'waits in the queue',
  },
  queuePoll: {
    most: 10_000,
    unit: 'milliseconds',
    of: 'time in which a worker that was not woken does not ask for jobs',
    beyond: 'asks',
  },
  jobChunk: {
    most: 10_000,
    unit: 'milliseconds',
    of: 'time in which a job has to end its chunk when the process stops',
    beyond: 'ended in the middle of it; the next attempt goes on',
  },
  workerSilence: {
    most: 30_000,
    unit: 'milliseconds',
    of: 'time in which a worker does not say that it lives',
    beyond: 'its jobs are given to others',
  },
  reportPlace: {
    most: 10_000,
    unit: 'milliseconds',
    of: 'time in which a report waits for a place',
    beyond: retried,
  },
  addressLookups: {
    most: 2,
    unit: 'places',
    of: 'unknown tokens from one address (IPv6: from one /64) that are looked up at a time',
    beyond: 'waits for a place',
  },
  processLookups: { most: 4, unit: 'places', of: 'the same of all addresses', beyond: 'waits for a place' },
  addressWaiting: {
    most: 256,
    unit: 'requests',
    of: 'requests from one address that wait for such a look-up',
    beyond: retried,
  },
  refusalAddresses: {
    most: 1000,
    unit: 'entries',
    of: 'addresses (IPv6: /64) whose refused tokens are logged within a second, once each',
    beyond: 'not logged',
  },
  count: {
    most: 250,
    unit: 'milliseconds',
    of: 'time for counting a request in Redis',
    beyond: '503 `rate_limiter_unavailable`; nothing was executed',
  },
  counts: {
    most: 4096,
    unit: 'entries',
    of: 'counts that Redis has not answered',
    beyond: '503 `rate_limiter_unavailable`; nothing was executed',
  },
  namedUsers: {
    most: 100,
    unit: 'entries',
    of: 'records that `resource_in_use` names',
    beyond: 'not named',
  },
  bodyValues: { most: 100_000, unit: 'values', of: 'members and elements of a JSON body', beyond: malformed },
  objectMembers: { most: 1000, unit: 'entries', of: 'members of one JSON object', beyond: malformed },
  issues: {
    most: 100,
    unit: 'entries',
    of: 'issues that an answer lists',
    beyond: 'counted in `issueCount`; of a batch each refused element lists its first',
  },
  quoted: {
    most: 200,
    unit: 'values',
    of: 'characters of what was sent in one part of a message',
    beyond: 'cut off',
  },
  searchWords: { most: 8, unit: 'values', of: 'different words of a search', beyond: malformed },
  searchScan: {
    most: 10_000,
    unit: 'entries',
    of: 'records of a kind in which one page of a search looks for words of one or two letters alone',
    beyond: 'left to the next page of a list; `truncated` in /search',
  },
  searchCandidates: {
    most: 1000,
    unit: 'entries',
    of: 'records of a kind that a search ranks, of each class of matches',
    beyond: 'not ranked: `truncated` is true',
  },
  searchSimilar: {
    most: 4000,
    unit: 'values',
    of: 'words that may have been meant by those of a search, together',
    beyond: 'the shorter words have to be right',
  },
  organizationExports: {
    most: 20,
    unit: 'entries',
    of: 'exports of one organization that are not finished',
    beyond: retried,
  },
  processExports: {
    most: 2,
    unit: 'places',
    of: 'exports of a process whose files are written at a time',
    beyond: 'waits for its turn',
  },
  exportTime: {
    most: 3_600_000,
    unit: 'milliseconds',
    of: 'time that the rows of one export take',
    beyond: 'cancelled in the database; the export is tried again, and then fails',
  },
  exportFileBytes: {
    most: 4096 * mebibyte,
    unit: 'bytes',
    of: 'the file of one export',
    beyond: 'the export fails with `too_large`',
  },
  organizationExportBytes: {
    most: 16_384 * mebibyte,
    unit: 'bytes',
    of: 'files of the exports of one organization that are kept',
    beyond: 'the oldest expire early',
  },
  exportRestarts: {
    most: 5,
    unit: 'entries',
    of: 'times that an export begins anew because persons were erased meanwhile',
    beyond: 'the export fails with `persons_erased`',
  },
  organizationBulkJobs: {
    most: 200,
    unit: 'entries',
    of: 'bulk jobs of one organization that are not finished',
    beyond: retried,
  },
  bulkChunk: {
    most: 100,
    unit: 'entries',
    of: 'targets of a bulk job that are changed in one transaction',
    beyond: 'left to the next transaction',
  },
  bulkTurn: {
    most: 1000,
    unit: 'milliseconds',
    of: 'time in which a bulk job begins further transactions without a pause for jobs of others',
    beyond: 'goes on behind the jobs that wait',
  },
  feedScan: {
    most: 10_000,
    unit: 'entries',
    of: 'numbers of the change feed that one page looks at',
    beyond: 'left to the next page: `hasMore` is true',
  },
  auditScan: {
    most: 10_000,
    unit: 'entries',
    of: 'entries of the audit log that one page looks at',
    beyond: 'left to the next page: `nextCursor` is not null',
  },
  keptDirectories: {
    most: 32 * mebibyte,
    unit: 'bytes',
    of: 'directories that are kept for `/capabilities`',
    beyond: 'the longest unused are read from the database again',
  },
  pointAnswer: {
    most: 5000,
    unit: 'milliseconds',
    of: 'time for a look-up, and for a lock',
    beyond: 'cancelled in the database; 503',
  },
  searchAnswer: { most: 8000, unit: 'milliseconds', of: 'time for a search', beyond: 'cancelled in the database; 503' },
  reportAnswer: {
    most: 20_000,
    unit: 'milliseconds',
    of: 'time for a report',
    beyond: 'cancelled in the database; 503',
  },
  organizationImports: {
    most: 50,
    unit: 'entries',
    of: 'imports of one organization that are not finished, whose files are kept',
    beyond: retried,
  },
  importErrors: {
    most: 100,
    unit: 'entries',
    of: 'errors that an import lists',
    beyond: 'the latest are listed; all stand in its file of errors',
  },
  importReaders: {
    most: 8,
    unit: 'places',
    of: 'files of imports that a process keeps open between the parts of its work',
    beyond: 'the longest unused is opened again, and read to where it was',
  },
  importColumns: { most: 200, unit: 'entries', of: 'columns of an uploaded file', beyond: unreadable },
  importCell: {
    most: 32 * kibibyte,
    unit: 'bytes',
    of: 'a cell of an uploaded file',
    beyond: 'the row is refused with `too_long`',
  },
  importRow: {
    most: mebibyte,
    unit: 'values',
    of: 'characters of a row of an uploaded file in which a quote is open',
    beyond: 'the row is refused with `row_parse_error`',
  },
  importBrokenRows: {
    most: 1000,
    unit: 'entries',
    of: 'rows of an uploaded file whose quotes are broken',
    beyond: unreadable,
  },
  importLookAhead: {
    most: 64 * mebibyte,
    unit: 'values',
    of: 'characters in which the ends of open quotes of a file are looked for',
    beyond: unreadable,
  },
  workbookEntries: { most: 2000, unit: 'entries', of: 'parts of an uploaded workbook', beyond: unreadable },
  workbookPart: {
    most: 256 * mebibyte,
    unit: 'bytes',
    of: 'the sheet of an uploaded workbook, unpacked',
    beyond: unreadable,
  },
  workbookHead: {
    most: 4 * mebibyte,
    unit: 'bytes',
    of: 'the list of sheets and the styles of an uploaded workbook, unpacked',
    beyond: unreadable,
  },
  workbookTexts: {
    most: 32 * mebibyte,
    unit: 'bytes',
    of: 'the shared texts of an uploaded workbook, which are held while it is read',
    beyond: unreadable,
  },
  ...knowledgeBounds,
  leaderboard: {
    most: 100,
    unit: 'entries',
    of: 'operators in the leaderboard of a report',
    beyond: 'those of the lowest ranks are left out',
  },
} as const satisfies Readonly<Record<string, Bound>>

export type BoundName = keyof typeof bounds
