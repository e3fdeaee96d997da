import { expect } from 'vitest'
import { isObject, type JsonObject, newId } from '../../../server/src/kernel/schema/index.ts'
import { aCompany, aContact, aDeal, aTask } from '../../support/builders.ts'
import type { Answer } from '../../support/client.ts'
import type { TestOrganization } from '../../support/organization.ts'
import type { Given } from './given.ts'
import type { NaiveDeal, NaiveWorld } from './naive-summary.ts'

/** One thing that happens; numbers choose among what there is. */
export type Happening =
  | {
      readonly does: 'deal'
      readonly stage: number
      readonly price: Price
      readonly owner: number
      readonly party: number
    }
  | { readonly does: 'move'; readonly deal: number; readonly stage: number }
  | { readonly does: 'price'; readonly deal: number; readonly price: Price }
  | { readonly does: 'task'; readonly due: string; readonly deal: number; readonly owner: number }
  | { readonly does: 'status'; readonly task: number; readonly status: string }
  | { readonly does: 'person' }

type Price = { readonly amount: string; readonly currency: string } | null

/** What the filters of a summary can name in a story. */
export interface Named {
  readonly pipelineId: string
  readonly ownerId: string
  readonly contactId: string
  readonly companyId: string
  readonly tagId: string
}

/** An organization with two pipelines and two operators, in which things happen one after the other. */
export class SalesStory {
  readonly organization: TestOrganization
  readonly named: Named
  readonly #given: Given
  readonly #owners: readonly string[]
  readonly #contacts: string[] = []
  readonly #companies: string[] = []
  readonly #entered = new Map<string, { stage: string; at: number }[]>()
  readonly #tasks: string[] = []
  readonly pipelines: NaiveWorld['pipelines']

  static async begin(given: Given, timeZone: string): Promise<SalesStory> {
    const organization = await given.organization()
    const partners = { id: newId(), open: newId(), won: newId(), lost: newId() }
    const owner = newId()
    await given.sql(
      `with o as (insert into operators (organization_id, id, name, email, active, created_at)
         values ($1, $2, 'Pavel', 'pavel@example.com', true, now())),
       p as (insert into pipelines (organization_id, id, name, position, lost_reason_required, created_at)
         values ($1, $3, 'Partners', 1, false, now()))
       insert into stages (organization_id, id, pipeline_id, name, type, position)
       values ($1, $4, $3, 'Open', 'open', 0), ($1, $5, $3, 'Won', 'won', 1), ($1, $6, $3, 'Lost', 'lost', 2)`,
      [organization.id, owner, partners.id, partners.open, partners.won, partners.lost],
    )
    const text = 'update organizations set time_zone = $2 where id = $1'
    await given.configure(organization, text, [organization.id, timeZone])
    const story = new SalesStory(given, organization, [organization.operator, owner], partners)
    await story.#addPerson()
    await story.#addPerson()
    const [contact, company] = [story.#contacts[0], story.#companies[0]]
    const contacts = { expectedVersion: 1, contacts: [{ id: contact }] }
    await succeed(organization.client.put(`/companies/${company}/contacts`, contacts))
    Object.assign(story.named, { contactId: contact, companyId: company })
    return story
  }

  private constructor(
    given: Given,
    organization: TestOrganization,
    owners: readonly string[],
    partners: { readonly id: string; readonly open: string; readonly won: string; readonly lost: string },
  ) {
    const { stages, pipelineId, tag, operator } = organization
    this.#given = given
    this.organization = organization
    this.#owners = owners
    this.named = { pipelineId, ownerId: operator, tagId: tag, contactId: '', companyId: '' }
    const own = [
      { uuid: stages.first, type: 'open' },
      { uuid: stages.second, type: 'open' },
      { uuid: stages.won, type: 'won' },
      { uuid: stages.lost, type: 'lost' },
    ]
    const others = (['open', 'won', 'lost'] as const).map(type => ({ uuid: partners[type], type }))
    this.pipelines = [
      { id: pipelineId, stages: own },
      { id: partners.id, stages: others },
    ]
  }

  /** Lets it happen; where there is nothing for it to happen to, nothing does. */
  async tell(happening: Happening): Promise<void> {
    if (happening.does === 'person') await this.#addPerson()
    if (happening.does === 'deal') await this.#addDeal(happening)
    if (happening.does === 'move') await this.#move(happening)
    if (happening.does === 'price')
      await this.#change('deals', this.#dealAt(happening.deal), happening.price ?? { amount: null })
    if (happening.does === 'task') await this.#addTask(happening)
    if (happening.does === 'status') {
      await this.#change('tasks', this.#tasks[happening.task % this.#tasks.length], { status: happening.status })
    }
  }

  /** All records as they are now. */
  async world(): Promise<NaiveWorld> {
    const list = async (plural: string) => {
      const { items, meta } = await succeed(this.organization.client.get(`/${plural}?limit=100`))
      expect(meta.nextCursor).toBeNull()
      return items
    }
    const deals = (await list('deals')).map((record): NaiveDeal => {
      return { record, entered: this.#entered.get(String(record.id)) ?? [] }
    })
    const [tasks, contacts, companies] = await Promise.all([list('tasks'), list('contacts'), list('companies')])
    return { deals, tasks, contacts, companies, pipelines: this.pipelines }
  }

  async #addPerson(): Promise<void> {
    const { client } = this.organization
    const place = this.#contacts.length
    const ownerUuid = this.#owners[place % 2]
    const [contact, company] = [aContact({ ownerUuid }), aCompany({ ownerUuid })]
    this.#contacts.push(String((await succeed(client.post('/contacts', contact))).data.id))
    this.#companies.push(String((await succeed(client.post('/companies', company))).data.id))
  }

  async #addDeal({ stage, price, owner, party }: Extract<Happening, { does: 'deal' }>): Promise<void> {
    const { client, tag } = this.organization
    const stageUuid = this.#stageAt(stage)
    const one = (ids: readonly string[]) => [{ id: ids[party % ids.length] }]
    const { data } = await succeed(
      client.post(
        '/deals',
        aDeal({
          ...(price ?? { amount: null }),
          stageUuid,
          ...this.#reasonFor(stageUuid),
          ownerUuid: [null, ...this.#owners][owner % 3],
          contacts: one(this.#contacts),
          companies: one(this.#companies.toReversed()),
        }),
      ),
    )
    this.#entered.set(String(data.id), [{ stage: stageUuid, at: this.#given.clock.now() }])
    if (party % 2 === 0)
      await succeed(client.put(`/deals/${data.id}/tags`, { expectedVersion: 1, tags: [{ id: tag }] }))
  }

  async #move({ deal, stage }: Extract<Happening, { does: 'move' }>): Promise<void> {
    const id = this.#dealAt(deal)
    const stageUuid = this.#stageAt(stage)
    const entered = this.#entered.get(id ?? '')
    if (id === undefined || entered?.at(-1)?.stage === stageUuid) return
    const { data } = await succeed(this.organization.client.get(`/deals/${id}`))
    const body = { expectedVersion: data.version, stageUuid, ...this.#reasonFor(stageUuid) }
    await succeed(this.organization.client.patch(`/deals/${id}/move`, body))
    entered?.push({ stage: stageUuid, at: this.#given.clock.now() })
  }

  async #addTask({ due, deal, owner }: Extract<Happening, { does: 'task' }>): Promise<void> {
    const id = this.#dealAt(deal)
    const about =
      id === undefined ? {} : { deal: { id }, contact: { id: this.#contacts[deal % this.#contacts.length] } }
    const task = aTask({ dueDate: due, assigneeUuid: this.#owners[owner % 2], ...about })
    this.#tasks.push(String((await succeed(this.organization.client.post('/tasks', task))).data.id))
  }

  async #change(plural: string, id: string | undefined, members: JsonObject): Promise<void> {
    if (id === undefined) return
    const { data } = await succeed(this.organization.client.get(`/${plural}/${id}`))
    await succeed(this.organization.client.patch(`/${plural}/${id}`, { expectedVersion: data.version, ...members }))
  }

  #dealAt(place: number): string | undefined {
    return [...this.#entered.keys()][place % this.#entered.size]
  }

  #stageAt(place: number): string {
    const all = this.pipelines.flatMap(({ stages }) => stages)
    return all[place % all.length]?.uuid ?? ''
  }

  #reasonFor(stageUuid: string): JsonObject {
    const { stages, lostReason } = this.organization
    return stageUuid === stages.lost ? { lostReasonCategoryUuid: lostReason } : {}
  }
}

/** The records of a world that have to do with what the filters name. */
export function limited(world: NaiveWorld, filters: Partial<Named>): NaiveWorld {
  const { pipelineId, ownerId, contactId, companyId, tagId } = filters
  const links = (value: unknown, member: string) =>
    Array.isArray(value) ? value.filter(isObject).map(link => link[member]) : []
  const contactsOf = (record: JsonObject) => links(record.contacts, 'contactId')
  const companiesOf = (record: JsonObject) => links(record.companies, 'companyId')
  const ofPipeline = world.deals.map(({ record }) => record).filter(record => record.pipelineId === pipelineId)
  const has = (wanted: string | undefined, values: readonly unknown[]) =>
    wanted === undefined || values.includes(wanted)
  const tags = ({ tagIds }: JsonObject) => (Array.isArray(tagIds) ? tagIds : [])
  // The first company has the first contact, and no other company has one.
  const [firstContact, firstCompany] = [world.contacts.at(-1)?.id, world.companies.at(-1)?.id]
  return {
    ...world,
    deals: world.deals.filter(
      ({ record }) =>
        has(ownerId, [record.ownerUuid]) &&
        has(contactId, contactsOf(record)) &&
        has(companyId, companiesOf(record)) &&
        has(tagId, tags(record)),
    ),
    tasks: world.tasks.filter(
      task =>
        has(ownerId, [task.assigneeUuid]) &&
        has(contactId, [task.contactId]) &&
        has(companyId, [task.companyId]) &&
        has(tagId, tags(task)) &&
        (pipelineId === undefined || ofPipeline.some(({ id }) => id === task.dealId)),
    ),
    contacts: world.contacts.filter(
      contact =>
        has(ownerId, [contact.ownerUuid]) &&
        has(contactId, [contact.id]) &&
        has(companyId, contact.id === firstContact ? [firstCompany] : []) &&
        has(tagId, tags(contact)) &&
        (pipelineId === undefined || ofPipeline.some(record => contactsOf(record).includes(contact.id))),
    ),
    companies: world.companies.filter(
      company =>
        has(ownerId, [company.ownerUuid]) &&
        has(companyId, [company.id]) &&
        has(contactId, company.id === firstCompany ? [firstContact] : []) &&
        has(tagId, tags(company)) &&
        (pipelineId === undefined || ofPipeline.some(record => companiesOf(record).includes(company.id))),
    ),
    pipelines: world.pipelines.filter(({ id }) => pipelineId === undefined || id === pipelineId),
  }
}

async function succeed(call: Promise<Answer>): Promise<Answer> {
  const answer = await call
  expect([answer.status < 300, answer.error]).toEqual([true, {}])
  return answer
}
