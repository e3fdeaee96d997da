import type { Crm } from 'crm-sdk'
import type { Directories } from 'crm-sdk/schemas'
import { CommandFailure } from '../failure.ts'
import { dealEndOf } from './stage-for.rules.ts'

/** A step that was taken: the record, and the event that it is told by. */
export interface TakenStep {
  readonly kind: string
  readonly id: string
  readonly version: number
}

interface Trigger {
  /** What it does, for the question. */
  readonly does: string
  run(crm: Crm, directories: Directories): Promise<TakenStep[]>
}

const stepOf = (kind: string, { id, version }: { readonly id: string; readonly version: number }) => ({
  kind,
  id,
  version,
})

const contact = { firstName: 'Example', lastName: 'Contact', source: 'crm trigger' }
const deal = { title: 'Example deal of crm trigger' }
const task = { title: 'Example task of crm trigger' }

/** The events that can be made to happen. */
export const triggers: Readonly<Record<string, Trigger>> = {
  'contact.created': {
    does: 'creates a contact',
    run: async crm => [stepOf('contact.created', await crm.contacts.create(contact))],
  },
  'contact.updated': {
    does: 'creates a contact, and changes its job title',
    run: async crm => {
      const created = await crm.contacts.create(contact)
      const change = { expectedVersion: created.version, jobTitle: 'Head of examples' }
      return [
        stepOf('contact.created', created),
        stepOf('contact.updated', await crm.contacts.update(created.id, change)),
      ]
    },
  },
  'company.created': {
    does: 'creates a company',
    run: async crm => [
      stepOf('company.created', await crm.companies.create({ name: 'Example company of crm trigger' })),
    ],
  },
  'deal.created': {
    does: 'creates a contact and a deal',
    run: async crm => (await createDeal(crm)).steps,
  },
  'deal.won': {
    does: 'creates a contact and a deal, and wins it',
    run: (crm, directories) => endDeal(crm, directories, 'won'),
  },
  'deal.lost': {
    does: 'creates a contact and a deal, and loses it',
    run: (crm, directories) => endDeal(crm, directories, 'lost'),
  },
  'task.created': {
    does: 'creates a task',
    run: async crm => [stepOf('task.created', await crm.tasks.create(task))],
  },
  'task.updated': {
    does: 'creates a task, and completes it',
    run: async crm => {
      const created = await crm.tasks.create(task)
      const done = await crm.tasks.update(created.id, { expectedVersion: created.version, status: 'done' })
      return [stepOf('task.created', created), stepOf('task.updated', done)]
    },
  },
}

async function endDeal(crm: Crm, directories: Directories, type: 'won' | 'lost'): Promise<TakenStep[]> {
  const end = dealEndOf(directories, type)
  if (end === null) throw new CommandFailure(`no pipeline has an open stage and one in which a deal is ${type}`)
  const { pipelineId, firstStage, stage: stageUuid, lostReason } = end
  const { id, version, steps } = await createDeal(crm, { pipelineId, stageUuid: firstStage })
  const reason = lostReason === undefined ? {} : { lostReasonCategoryUuid: lostReason }
  const moved = await crm.deals.move(id, { expectedVersion: version, stageUuid, ...reason })
  return [...steps, stepOf(`deal.${type}`, moved)]
}

/** A deal needs somebody whom it is with. */
async function createDeal(crm: Crm, place: { readonly pipelineId?: string; readonly stageUuid?: string } = {}) {
  const person = await crm.contacts.create(contact)
  const created = await crm.deals.create({ ...deal, ...place, contacts: [{ id: person.id }] })
  return { ...created, steps: [stepOf('contact.created', person), stepOf('deal.created', created)] }
}
