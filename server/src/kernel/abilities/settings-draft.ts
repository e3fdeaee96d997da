import { malformed, notFound, Refusal, versionConflict } from '../errors/index.ts'
import type { BodyDeclaration } from '../input/index.ts'
import type { Lookup, Nested, NestedStep, RecordState, Resource, RowChange, WriteContext } from '../record/index.ts'
import { isObject, type JsonObject } from '../schema/index.ts'
import { accept, blank, raised } from '../write/decide.ts'
import { isChanged } from '../write/facts.ts'
import { organizationFeed } from '../write/tables.ts'
import type { WorkingSet } from '../write/working-set.ts'

/** Members of a setting that do not come from the input, such as a time, or an id that was generated before. */
type Facts = Readonly<Record<string, unknown>>

/**
 * Collects the changes of an organization and its settings. Together they are one step of the organization. Input has the form of a
 * request body and is checked as declared; undefined members are ignored.
 */
export class SettingsDraft {
  readonly write: WriteContext
  readonly #resource: Resource
  readonly #work: WorkingSet
  readonly #before: RecordState | null
  readonly #steps: NestedStep[] = []
  #organization: RecordState | null
  readonly #rows: RowChange[] = []
  #endsOlder = false
  #isChanged = false

  constructor(resource: Resource, work: WorkingSet, write: WriteContext) {
    this.write = write
    this.#resource = resource
    this.#work = work
    this.#before = work.record(resource.kind, write.organizationId)
    this.#organization = this.#before
  }

  /** null if the organization does not exist. */
  get organization(): RecordState | null {
    return this.#organization
  }

  /** Creates the organization. */
  found(input: JsonObject, facts: Facts = {}): RecordState | Refusal {
    const start = { ...blank(this.#resource, {}, this.write), id: this.write.organizationId, ...facts }
    const next = this.#accept(this.#resource, this.#resource.input.create, input, start, null)
    if (!(next instanceof Refusal)) this.#organization = next
    return next
  }

  /** Changes the organization itself. */
  change(input: JsonObject, facts: Facts = {}): RecordState | Refusal {
    const before = this.#organization
    if (before === null) return notFound()
    const next = this.#changed(this.#resource, before, input, facts)
    if (!(next instanceof Refusal)) this.#organization = next
    return next
  }

  /** A setting that was loaded or added; null if there is none. */
  record(kind: Nested, id: string): RecordState | null {
    return this.#work.record(kind.kind, id)
  }

  /** The settings of a kind that belong to the organization, or to another setting; they have to be loaded or added before. */
  all(kind: Nested, parentId = this.write.organizationId): readonly RecordState[] {
    return this.#work.nestedIn(kind, parentId)
  }

  /** The result of a look-up that the change has requested. */
  read<Value>(lookup: Lookup<Value>): Value {
    return this.#work.read(lookup)
  }

  /** Whether a record of this kind has this key of the actor's application; the key must be needed before. */
  isKeyTaken(kind: Nested, externalId: string): boolean {
    return this.#work.key(kind.kind, externalId) !== null
  }

  /** Adds a setting to the organization, or to another setting; `facts.externalId` is the key of the actor's application. */
  add(kind: Nested, input: JsonObject, facts: Facts = {}, parent = this.#organization): RecordState | Refusal {
    if (parent === null) return notFound()
    const start = { ...blank(kind, {}, this.write), [kind.parent.member]: parent.id, ...facts }
    const after = this.#accept(kind, kind.input.create, input, start, null, parent)
    return after instanceof Refusal ? after : this.#take({ resource: kind, before: null, after }, after)
  }

  /** Changes a setting, at most once in a draft. `input.expectedVersion` is for compare-and-set, if given. */
  alter(kind: Nested, before: RecordState, input: JsonObject, facts: Facts = {}): RecordState | Refusal {
    const next = this.#changed(kind, before, input, facts)
    if (next instanceof Refusal || !isChanged(kind, before, next)) return next
    const after = raised(before, next, this.write)
    return this.#take({ resource: kind, before, after }, after)
  }

  /** Removes a setting to which nothing refers any more. Configurations that contain it become too old for decisions. */
  remove(kind: Nested, before: RecordState): void {
    this.endOlder()
    const step = { resource: kind, before, after: null }
    this.#work.take(step)
    this.#steps.push(step)
  }

  /** Makes all configurations from before this change too old for decisions, if the draft changes anything. */
  endOlder(): void {
    this.#endsOlder = true
  }

  /** Writes an additional row beside the settings. */
  writeBeside(row: RowChange): void {
    this.#rows.push(row)
  }

  /** The additional rows, once the step is complete. */
  get rows(): readonly RowChange[] {
    const version = this.#before?.version
    if (!this.#endsOlder || !this.#isChanged || version === undefined) return this.#rows
    return [...this.#rows, { table: organizationFeed, operation: 'update', row: { oldest_configuration: version + 1 } }]
  }

  /** Completes the step; false if nothing changed. */
  finish(): boolean {
    const [resource, before, next] = [this.#resource, this.#before, this.#organization]
    if (next === null) return false
    const isSame = before !== null && !isChanged(resource, before, next)
    if (isSame && this.#steps.length === 0) return false
    const after = before === null ? next : raised(before, next, this.write)
    this.#work.apply({ resource, before, after, nested: this.#steps })
    this.#isChanged = true
    return true
  }

  #changed(resource: Resource, before: RecordState, given: JsonObject, facts: Facts): RecordState | Refusal {
    const input = withoutUndefined(given)
    if (Object.keys(input).length + Object.keys(facts).length === 0) {
      return malformed([{ path: '', rule: 'required', message: 'nothing to change was given' }])
    }
    const { expectedVersion = before.version } = input
    if (expectedVersion !== before.version) return versionConflict(before.version)
    return this.#accept(resource, resource.input.patch, input, { ...before, ...facts }, before)
  }

  #accept(
    resource: Resource,
    body: BodyDeclaration,
    given: JsonObject,
    start: RecordState,
    previous: RecordState | null,
    parent?: RecordState,
  ): RecordState | Refusal {
    const { value, issues } = body.parse(withoutUndefined(given))
    if (issues.length > 0) return malformed(issues)
    const input = isObject(value) ? value : {}
    const record = { resource, previous, input, links: new Map(), base: '' }
    return accept(parent === undefined ? record : { ...record, parent }, start, this.#work, this.write)
  }

  #take(step: NestedStep, after: RecordState): RecordState {
    this.#work.take(step)
    this.#steps.push(step)
    return after
  }
}

function withoutUndefined(given: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
