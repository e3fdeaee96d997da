import { type Issue, notFound, Refusal } from '../../errors/index.ts'
import type { Decision } from '../../mutation/index.ts'
import { defineOperation, type Operation } from '../../operation.ts'
import type { Nested, RecordState, WriteContext } from '../../record/index.ts'
import { isObject, type JsonObject } from '../../schema/index.ts'
import { accept, raised } from '../../write/decide.ts'
import { isChanged } from '../../write/facts.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { mutate } from '../../write.ts'
import { aRecord } from '../ability.ts'
import { nestedName } from '../nested/create-nested.ts'
import { refusalsOfFields, refusalsOfPart } from '../refusals.ts'
import { bodyOf } from '../write-record.ts'
import {
  answerNamed,
  applyNamed,
  type NamedPlace,
  namedRecord,
  namedWriting,
  needNamed,
  pathOfNamed,
  placeOf,
} from './named-record.ts'

/** `PUT …/<kind>/:id`: replaces the whole record; fields that the body omits become empty. 404 if it does not exist. */
export function namedReplace(nested: Nested): Operation {
  const { idParameter } = nested
  return defineOperation({
    ...namedWriting(nested),
    ...pathOfNamed(nested),
    id: `${nestedName(nested)}.replace`,
    method: 'PUT',
    summary: `Replace ${aRecord(nested)}`,
    description: 'What the body leaves out gets its initial value. An id in the body must be that of the path.',
    body: nested.input.create,
    inspect: (_, body, path) => otherId(body, path[idParameter]),
    refuses: [...refusalsOfPart(nested), ...refusalsOfFields(nested)],
    execute(request, services) {
      const { id: _, ...given } = bodyOf(request)
      const place = placeOf(nested, request)
      return mutate(
        {
          needs: needs => needNamed(needs, nested, place),
          decide: (work, write) => decideReplace(nested, place, { ...empty(nested), ...given }, work, write),
        },
        request.actor,
        services,
        answerNamed(nested),
      )
    },
  })
}

function decideReplace(
  nested: Nested,
  place: NamedPlace,
  input: JsonObject,
  work: WorkingSet,
  write: WriteContext,
): Decision<RecordState> | Refusal {
  const found = namedRecord(nested, place, work)
  if (found instanceof Refusal) return found
  const { parent, record } = found
  if (record === null) return notFound()
  const accepted = { resource: nested, previous: record, input, links: new Map(), base: '', parent }
  const next = accept(accepted, record, work, write)
  if (next instanceof Refusal) return next
  if (!isChanged(nested, record, next)) return { result: record }
  const after = raised(record, next, write)
  applyNamed(nested, parent, record, after, work, write)
  return { result: after }
}

/** The initial values of the fields that requests can set. */
function empty({ fields }: Nested): JsonObject {
  const given = Object.entries(fields).filter(([, { input }]) => input !== undefined)
  return Object.fromEntries(given.map(([name, { initial }]) => [name, initial]))
}

function otherId(body: unknown, id: string | undefined): Issue[] {
  if (!isObject(body) || body.id === undefined || body.id === id) return []
  return [{ path: '/id', rule: 'same', message: 'The path has another id' }]
}
