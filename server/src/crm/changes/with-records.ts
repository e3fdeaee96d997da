import {
  bounds,
  type Caller,
  type Conventions,
  endOfSuccess,
  envelopeText,
  type Outcome,
  projectionScopes,
  type Request,
  type Resource,
  readRecordTexts,
  type Services,
  type WrittenOutcome,
} from '../../kernel/index.ts'
import { isObject, type JsonObject, sizeOf } from '../../kernel/schema/index.ts'
import { projectChanges } from './change.ts'

/** The answer for a page of events as another caller may see it than the one whose token the request began with. */
export function writeFor(caller: Caller, { status, data, meta }: Outcome, conventions: Conventions): WrittenOutcome {
  const { data: shown, redacted } = projectChanges(data, caller)
  const text = envelopeText(conventions, shown, redacted.length === 0 ? meta : { ...meta, redacted })
  return { status, written: [Buffer.from(text)] }
}

/**
 * The answer for a page of events, each with its record as it is now: null if it is gone or anonymized. One statement reads the records of
 * each kind. A record is held once, as text, however many events are about it.
 */
export async function answerWithRecords(
  { status, data, meta }: Outcome,
  resources: readonly Resource[],
  request: Request,
  services: Services,
): Promise<WrittenOutcome> {
  const { caller, operation } = request
  const projected = projectChanges(data, caller)
  const events: JsonObject[] = Array.isArray(projected.data) ? projected.data.filter(isObject) : []
  const texts = new Map<unknown, Buffer>()
  const hidden = new Set<string>(projected.redacted)
  for (const resource of resources) {
    const ofKind = events.filter(({ resourceType }) => resourceType === resource.kind)
    if (ofKind.length === 0) continue
    const ids = [...new Set(ofKind.map(({ resourceId }) => String(resourceId)))]
    const found = await readRecordTexts(resource, ids, request, services)
    for (const [id, text] of found.texts) texts.set(id, text)
    for (const projection of found.redacted) hidden.add(projection)
  }
  const redacted = Object.keys(projectionScopes).filter(projection => hidden.has(projection))
  const { conventions } = operation
  const parts: Buffer[] = []
  let text = `${conventions.success.before}[`
  for (const [index, event] of events.entries()) {
    const record = texts.get(event.resourceId)
    text += `${index === 0 ? '' : ','}${JSON.stringify(event).slice(0, -1)},"record":`
    if (record === undefined) {
      text += 'null}'
      continue
    }
    parts.push(Buffer.from(text), record)
    text = '}'
  }
  parts.push(Buffer.from(`${text}]${endOfSuccess(conventions, redacted.length === 0 ? meta : { ...meta, redacted })}`))
  return { status, written: sizeOf(parts) > bounds.large.most ? parts : [Buffer.concat(parts)] }
}
