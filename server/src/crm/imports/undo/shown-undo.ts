import { bounds, jobFailureSchema, jobTimeSchema, keptReasons } from '../../../kernel/index.ts'
import {
  countSchema,
  type JsonObject,
  listSchema,
  objectSchema,
  uuidSchema,
  wordSchema,
} from '../../../kernel/schema/index.ts'
import { type UndoStatus, undoStatuses } from './undoable.rules.ts'

/** The undo of an import as answers show it. A type, because rows need an index signature. */
export type ShownUndo = JsonObject & { readonly status: UndoStatus }

const time = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** SQL of the undo of an import `j`, where $1 is the organization; null if there is none. */
export const undoColumn = `(select jsonb_build_object(
            'status', u.status,
            'counters', jsonb_build_object('total', u.total, 'done', u.done, 'removed', u.removed, 'restored', u.restored, 'kept', u.kept),
            'kept', (select coalesce(jsonb_agg(k.told), '[]')
                       from (select jsonb_build_object('resourceType', k.kind, 'id', k.record_id, 'reason', k.reason,
                                                       'fields', k.fields) as told
                               from import_undo_kept k where k.organization_id = $1 and k.undo_id = u.id
                              order by k.record_id limit ${bounds.importKept.most}) as k),
            'createdAt', ${time('u.created_at')},
            'finishedAt', ${time('u.finished_at')},
            'failure', u.failure)
            from import_undos u where u.organization_id = $1 and u.import_id = j.id) as undo`

const counters = objectSchema('ImportUndoCounters', {
  total: {
    type: ['integer', 'null'],
    minimum: 0,
    description: 'Changes that the import has made; null: not counted yet.',
  },
  done: countSchema('Changes of these that were looked at.', 0),
  removed: countSchema('Records that were removed.', 0),
  restored: countSchema('Changes of other records that were taken back, whole or in part.', 0),
  kept: countSchema('Records of which something stays.', 0),
})

const keptRecord = objectSchema('ImportUndoKept', {
  resourceType: { type: 'string', description: 'The kind of the record.', example: 'contact' },
  id: uuidSchema,
  reason: wordSchema('ImportUndoKeptReason', [...keptReasons], 'Why something of the record stays.', 'changed'),
  fields: listSchema({ type: 'string' }, 'The fields and parts that stay; empty for a record that the import made.', [
    'contactData.phones',
  ]),
})

/** JSON Schema of the undo of an import. */
export const undoSchema = {
  ...objectSchema('ImportUndo', {
    status: { component: 'ImportUndoStatus', type: 'string', enum: undoStatuses, description: 'How far it has come.' },
    counters: { ...counters, description: 'How many changes and records there are.' },
    kept: {
      type: 'array',
      items: keptRecord,
      maxItems: bounds.importKept.most,
      description: `The first ${bounds.importKept.most} records of which something stays.`,
      examples: [[]],
    },
    createdAt: { type: 'string', format: 'date-time', description: 'When the undo was asked for.' },
    finishedAt: jobTimeSchema('When it ended.'),
    failure: jobFailureSchema('ImportUndoFailure', 'Why it failed.', { example: 'internal_error' }),
  }),
  type: ['object', 'null'],
  description: 'How the import was taken back; null: it was not.',
}
