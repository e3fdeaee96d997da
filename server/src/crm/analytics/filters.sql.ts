import type { Bind } from '../../kernel/sql/index.ts'

/** Conditions of a summary for each kind of records. $1 is the organization. */
export interface Conditions {
  /** For deals `d`, without the pipeline filter. */
  readonly deals: string
  /** For deals `d`: only the pipeline that they are in now. */
  readonly pipeline: string
  readonly tasks: string
  readonly contacts: string
  readonly companies: string
}

/** What each filter asks of the records, for the id as a parameter. */
export const filterConditions = {
  ownerId: ofOwner,
  tagId: ofTag,
  contactId: ofContact,
  companyId: ofCompany,
  pipelineId: ofPipeline,
} satisfies Readonly<Record<string, (id: string) => Partial<Conditions>>>

/** The ids that a summary is limited to; a filter that the request leaves out is absent. */
export type Filters = Readonly<Partial<Record<keyof typeof filterConditions, string>>>

/** The conditions that select the records related to everything that the filters name (contract section 12). */
export function analyticsConditions(filters: Filters, bind: Bind): Conditions {
  const given = Object.entries(filterConditions).flatMap(([name, of]): Partial<Conditions>[] => {
    const { [name]: id }: Readonly<Record<string, string>> = filters
    return id === undefined ? [] : [of(bind(id))]
  })
  const all = (name: keyof Conditions) =>
    given
      .flatMap(each => each[name] ?? [])
      .map(text => ` and ${text}`)
      .join('')
  return {
    deals: all('deals'),
    pipeline: all('pipeline'),
    tasks: all('tasks'),
    contacts: all('contacts'),
    companies: all('companies'),
  }
}

function ofOwner(owner: string) {
  return {
    deals: `d.owner_uuid = ${owner}::uuid`,
    tasks: `t.assignee_uuid = ${owner}::uuid`,
    contacts: `t.owner_uuid = ${owner}::uuid`,
    companies: `t.owner_uuid = ${owner}::uuid`,
  }
}

function ofTag(tag: string) {
  const tagged = `t.tag_ids @> array[${tag}::uuid]`
  return {
    deals: `d.tag_ids @> array[${tag}::uuid]`,
    tasks: tagged,
    contacts: tagged,
    companies: tagged,
  }
}

function ofContact(contact: string) {
  return {
    deals: `d.id in (
        select l.deal_id from deal_contacts l where l.organization_id = $1 and l.contact_id = ${contact}::uuid)`,
    tasks: `t.contact_id = ${contact}::uuid`,
    contacts: `t.id = ${contact}::uuid`,
    companies: `t.id in (
        select l.company_id from company_contacts l where l.organization_id = $1 and l.contact_id = ${contact}::uuid)`,
  }
}

function ofCompany(company: string) {
  return {
    deals: `d.id in (
        select l.deal_id from deal_companies l where l.organization_id = $1 and l.company_id = ${company}::uuid)`,
    tasks: `t.company_id = ${company}::uuid`,
    contacts: `t.id in (
        select l.contact_id from company_contacts l where l.organization_id = $1 and l.company_id = ${company}::uuid)`,
    companies: `t.id = ${company}::uuid`,
  }
}

function ofPipeline(pipeline: string) {
  const deal = (links: string) => `exists (
        select from ${links} join deals d on d.organization_id = $1 and d.id = l.deal_id
         where l.organization_id = $1 and d.pipeline_id = ${pipeline}::uuid`
  return {
    pipeline: `d.pipeline_id = ${pipeline}::uuid`,
    tasks: `exists (
        select from deals d
         where d.organization_id = $1 and d.id = t.deal_id and d.pipeline_id = ${pipeline}::uuid)`,
    contacts: `${deal('deal_contacts l')} and l.contact_id = t.id)`,
    companies: `${deal('deal_companies l')} and l.company_id = t.id)`,
  }
}
