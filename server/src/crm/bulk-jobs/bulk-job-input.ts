import {
  atOnce,
  type BodyDeclaration,
  type BulkAction,
  type CheckedBody,
  limits,
  type Request,
} from '../../kernel/index.ts'
import {
  compileSchema,
  duplicateLiteral,
  exampleExternalId,
  type Issue,
  isObject,
  type JsonObject,
  type JsonSchema,
  type Reference,
  withoutReference,
} from '../../kernel/schema/index.ts'
import { actionSchema, bulkJobWords, entityTypeSchema } from './bulk-job-schema.ts'
import { changesSchema, onlyOfAction } from './changes-schema.ts'

/** The body of `POST /bulk-jobs` in the form for execution. */
export interface BulkJobInput {
  readonly action: BulkAction
  readonly targets: readonly AskedTarget[]
  readonly changes: JsonObject
}

interface AskedTarget {
  readonly reference: Reference
  readonly expectedVersion: number | null
}

const checkTarget = compileSchema({ $ref: 'VersionedReference' })

/** The body of a new job: the action and the records to apply it to (contract section 10.1). */
export function bulkJobBody(actions: readonly BulkAction[]): BodyDeclaration {
  const { kinds, names } = bulkJobWords(actions)
  const targets = {
    type: 'array',
    minItems: 1,
    maxItems: limits.bulkTargets,
    description: 'The records to change, each once.',
  }
  const envelope = (targets: JsonSchema, changes: JsonSchema): JsonSchema => ({
    type: 'object',
    required: ['entityType', 'action', 'targets', 'changes'],
    properties: { entityType: entityTypeSchema(kinds), action: actionSchema(names), targets, changes },
    additionalProperties: false,
  })
  const checkEnvelope = compileSchema(envelope(targets, { type: 'object' }))
  const items = { ...targets, items: { $ref: 'VersionedReference' }, documented: { uniqueItems: true } }
  return {
    name: 'BulkJobCreate',
    schema: { ...envelope(items, changesSchema(actions)), documented: onlyOfAction(actions) },
    required: true,
    example: {
      entityType: 'task',
      action: 'update',
      targets: [{ externalId: exampleExternalId, expectedVersion: 3 }, { externalId: 'A-1043' }],
      changes: { status: 'done' },
    },
    parse: body => atOnce(parseInSteps(body)),
    parseInSteps,
  }

  function* parseInSteps(body: unknown): Generator<unknown, CheckedBody> {
    const issues = checkEnvelope(body, '')
    if (issues.length > 0 || !isObject(body) || !Array.isArray(body.targets)) return { value: body, issues }
    const seen = new Set<string>()
    const targets: AskedTarget[] = []
    for (const [index, target] of body.targets.entries()) {
      const path = `/targets/${index}`
      const wrong = [...checkTarget(target, path), ...withoutReference(target, path)]
      issues.push(...(wrong.length > 0 ? wrong : duplicateLiteral(target, path, seen)))
      if (isObject(target)) targets.push(toTarget(target))
      yield
    }
    const action = actions.find(({ resource, name }) => resource.kind === body.entityType && name === body.action)
    if (action === undefined) return { value: body, issues: [...issues, unfit(String(body.entityType), actions)] }
    const { value, issues: ofChanges } = action.check(body.changes, '/changes')
    const changes = isObject(value) ? value : {}
    return { value: { action, targets, changes } satisfies BulkJobInput, issues: [...issues, ...ofChanges] }
  }
}

/** The input of a request whose body is validated. */
export function bulkJobInputOf({ body }: Pick<Request, 'body'>): BulkJobInput {
  if (!isInput(body)) throw new Error('the body of a bulk job was not checked')
  return body
}

function isInput(body: unknown): body is BulkJobInput {
  return isObject(body) && isObject(body.action) && Array.isArray(body.targets) && isObject(body.changes)
}

function toTarget({ id, externalId, expectedVersion }: JsonObject): AskedTarget {
  const reference = typeof id === 'string' ? { id: id.toLowerCase() } : { externalId: String(externalId) }
  return { reference, expectedVersion: typeof expectedVersion === 'number' ? expectedVersion : null }
}

function unfit(kind: string, actions: readonly BulkAction[]): Issue {
  const names = actions.filter(({ resource }) => resource.kind === kind).map(({ name }) => name)
  return { path: '/action', rule: 'enum', message: `For the entityType ${kind} one of ${names.join(', ')} is expected` }
}
