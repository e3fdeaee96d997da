import type { ReadOptions } from '../core/options.ts'
import type { Changes, Companies, Contacts, Deals, Resources, Tasks } from '../generated/resources.ts'
import type {
  ChangeEvent,
  Company,
  CompanyUpdate,
  Contact,
  ContactUpdate,
  ContactUpsert,
  Deal,
  DealUpdate,
  DealUpsert,
  Task,
  TaskUpdate,
  TaskUpsert,
  WrittenCompany,
  WrittenContact,
  WrittenDeal,
  WrittenTask,
} from '../generated/schemas.ts'
import { change } from './change.ts'
import { type FeedStep, type FollowOptions, follow } from './follow.ts'
import type { Resting } from './rest.ts'
import type { UpsertResult } from './results.ts'
import { type Copy, synchronize } from './synchronize.ts'
import { type UpsertAllOptions, upsertAll } from './upsert-all.ts'

/** A kind of records that can be written in batches. */
interface Upserting<Row, Stored> {
  /**
   * Creates or updates any number of records by their `externalId`, in batches of 100. Rows are read as they are needed; what became of
   * each is yielded in order. The same run with the same rows applies none of them twice, also after the program has died.
   *
   * A row that is refused is a result with an `error`. So is one whose batch was decided before with other content (`decided_before`). What
   * refuses a whole batch is thrown: start the same run again.
   */
  upsertAll(
    rows: Iterable<Row> | AsyncIterable<Row>,
    options: UpsertAllOptions,
  ): AsyncGenerator<UpsertResult<Row, Stored>, void, undefined>
}

/** A kind of records that have versions. */
interface Changing<Stored, Update, Written> {
  /**
   * Changes a record by what it has now: reads it, asks for the fields to change, and sends them with the version that was read; again, up
   * to five times, if somebody else has changed it in between. `null` changes nothing.
   */
  change(
    id: string,
    toPatch: (record: Stored) => Patch<Update> | null | Promise<Patch<Update> | null>,
    options?: ReadOptions,
  ): Promise<Stored | Written>
}

type Patch<Update> = Omit<Update, 'expectedVersion'>

interface Following {
  /**
   * Yields the events after a cursor as soon as they are committed, without end, and proves that none is missing. `null` begins now. A step
   * with a `reset` says that events are gone: read all records anew, and go on.
   */
  follow(cursor: string | null, options?: FollowOptions): AsyncGenerator<FeedStep<ChangeEvent>, void, undefined>
}

/** The resources, with the flows that belong to one of them. */
export interface ResourcesWithFlows extends Omit<Resources, 'contacts' | 'companies' | 'deals' | 'tasks' | 'changes'> {
  readonly contacts: Contacts &
    Upserting<ContactUpsert, WrittenContact> &
    Changing<Contact, ContactUpdate, WrittenContact>
  readonly companies: Companies & Changing<Company, CompanyUpdate, WrittenCompany>
  readonly deals: Deals & Upserting<DealUpsert, WrittenDeal> & Changing<Deal, DealUpdate, WrittenDeal>
  readonly tasks: Tasks & Upserting<TaskUpsert, WrittenTask> & Changing<Task, TaskUpdate, WrittenTask>
  readonly changes: Changes & Following
}

/** The flows that belong to no resource alone. */
export interface FlowsOfCrm {
  /**
   * Keeps a copy of the records complete, without end: takes the cursor, loads all records, then applies every later event. A program that
   * died begins again where it stopped.
   */
  synchronize(copy: Copy<ChangeEvent>, options?: FollowOptions): Promise<void>
}

/** Adds the flows to the resources to which they belong. */
export function attachFlows(resources: Resources, resting: Resting): ResourcesWithFlows & FlowsOfCrm {
  const { contacts, companies, deals, tasks, changes } = resources
  const reading = { ...contacts, get: (id: string, options?: ReadOptions) => contacts.get(id, {}, options) }
  return {
    ...resources,
    contacts: {
      ...contacts,
      upsertAll: (rows, options) => upsertAll('contacts', contacts, rows, options, resting),
      change: (id, toPatch, options) => change(reading, id, toPatch, options),
    },
    companies: { ...companies, change: (id, toPatch, options) => change(companies, id, toPatch, options) },
    deals: {
      ...deals,
      upsertAll: (rows, options) => upsertAll('deals', deals, rows, options, resting),
      change: (id, toPatch, options) => change(deals, id, toPatch, options),
    },
    tasks: {
      ...tasks,
      upsertAll: (rows, options) => upsertAll('tasks', tasks, rows, options, resting),
      change: (id, toPatch, options) => change(tasks, id, toPatch, options),
    },
    changes: { ...changes, follow: (cursor, options) => follow(changes, cursor, options, resting) },
    synchronize: (copy, options) => synchronize(changes, copy, options, resting),
  }
}
