import { notFound, Refusal } from '../../errors/index.ts'
import type { Answer } from '../../mutation/index.ts'
import { defineOperation, type Operation } from '../../operation.ts'
import type { Nested } from '../../record/index.ts'
import { chosenIdSchema, type JsonSchema } from '../../schema/index.ts'
import { mutate } from '../../write.ts'
import { aRecord } from '../ability.ts'
import { nestedName } from '../nested/create-nested.ts'
import { refusalsOfPart } from '../refusals.ts'
import { applyNamed, namedRecord, namedWriting, needNamed, pathOfNamed, placeOf } from './named-record.ts'

/**
 * `DELETE …/<kind>/:id`: 200 with `{accepted: true, id}`. The record is gone at once; data derived from it elsewhere, such as an index,
 * may go later.
 */
export function namedRemove(nested: Nested): Operation {
  const { valueScopes: _, ...writing } = namedWriting(nested)
  return defineOperation({
    ...writing,
    ...pathOfNamed(nested),
    id: `${nestedName(nested)}.remove`,
    method: 'DELETE',
    summary: `Delete ${aRecord(nested)}`,
    answer: { data: acceptedSchema },
    refuses: refusalsOfPart(nested),
    project: data => ({ data, redacted: [] }),
    execute(request, services) {
      const place = placeOf(nested, request)
      return mutate(
        {
          needs: needs => needNamed(needs, nested, place),
          decide(work, write) {
            const found = namedRecord(nested, place, work)
            if (found instanceof Refusal) return found
            const { parent, record } = found
            if (record === null) return notFound()
            applyNamed(nested, parent, record, null, work, write)
            return { result: place.name }
          },
        },
        request.actor,
        services,
        answerAccepted,
      )
    },
  })
}

/** The answer to such a removal. */
export const answerAccepted = (id: string): Answer => ({ status: 200, data: { accepted: true, id } })

/** JSON Schema of that answer. */
const acceptedSchema: JsonSchema = {
  title: 'AcceptedDeletion',
  type: 'object',
  required: ['accepted', 'id'],
  properties: { accepted: { type: 'boolean', description: 'Always true.', example: true }, id: chosenIdSchema },
}
