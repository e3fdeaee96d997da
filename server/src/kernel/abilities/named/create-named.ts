import { Refusal, refuse, unprocessable } from '../../errors/index.ts'
import type { Decision } from '../../mutation/index.ts'
import { defineOperation, type Operation } from '../../operation.ts'
import type { Nested } from '../../record/define-nested.ts'
import type { RecordState, WriteContext } from '../../record/resource.ts'
import { type JsonObject, newId } from '../../schema/index.ts'
import { accept, blank } from '../../write/decide.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { mutate } from '../../write.ts'
import { aRecord } from '../ability.ts'
import { nestedName } from '../nested/create-nested.ts'
import { refusalsOfFields, refusalsOfOwner, refusalsOfRoom } from '../refusals.ts'
import { bodyOf } from '../write-record.ts'
import {
  answerNamed,
  applyNamed,
  type NamedPlace,
  namedRecord,
  namedWriting,
  needNamed,
  placeOf,
} from './named-record.ts'

/** `POST …/<kind>`: 201 with the record. `id` is made unless it is given; one that is there already is a 409. */
export function namedCreate(nested: Nested): Operation {
  return defineOperation({
    ...namedWriting(nested),
    id: `${nestedName(nested)}.create`,
    method: 'POST',
    path: nested.path,
    summary: `Create ${aRecord(nested)}`,
    success: [201],
    body: nested.input.create,
    refuses: [
      ...refusalsOfOwner(nested),
      ['already_exists', 'The id is taken.'],
      ...refusalsOfFields(nested),
      ...refusalsOfRoom(nested),
    ],
    execute(request, services) {
      const { id = newId(), ...input } = bodyOf(request)
      const place = placeOf(nested, request, String(id))
      return mutate(
        {
          needs: needs => needNamed(needs, nested, place),
          decide: (work, write) => decideCreate(nested, place, input, work, write),
        },
        request.actor,
        services,
        answerNamed(nested, 201),
      )
    },
  })
}

function decideCreate(
  nested: Nested,
  place: NamedPlace,
  input: JsonObject,
  work: WorkingSet,
  write: WriteContext,
): Decision<RecordState> | Refusal {
  const found = namedRecord(nested, place, work)
  if (found instanceof Refusal) return found
  const { parent, record } = found
  if (record !== null) return refuse('already_exists', { path: '/id', existingId: place.name })
  const { most, countedIn } = nested
  if (most !== null && countedIn !== undefined && Number(parent[countedIn]) >= most) {
    const message = `There can be ${most} at most`
    return unprocessable([{ path: '', rule: 'max_items', message }], { limit: most })
  }
  const start: RecordState = {
    ...blank(nested, input, write),
    id: place.id,
    [nested.parent.member]: parent.id,
    [nested.idParameter]: place.name,
  }
  const after = accept(
    { resource: nested, previous: null, input, links: new Map(), base: '', parent },
    start,
    work,
    write,
  )
  if (after instanceof Refusal) return after
  applyNamed(nested, parent, null, after, work, write)
  return { result: after }
}
