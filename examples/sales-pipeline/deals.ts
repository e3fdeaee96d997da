import type { Client } from './client.ts'
import { unknownCustomer } from './customers.ts'
import { type Directories, uuidOf } from './directories.ts'
import { integerOf, listOf, memberOf, textOf, textsOf } from './json.ts'
import type { Opportunity } from './opportunities.ts'
import type { Outcome } from './outcomes.ts'
import { explain, isStale, Refusal } from './refusal.ts'

/** A deal in the CRM, with the row that it comes from. */
export type Deal = { opportunity: Opportunity; id: string; version: number; stageUuid: string; contactIds: string[] }

export type DealContext = Directories & { client: Client; currency: string; unknownCustomerId: string }

type Element = { opportunity: Opportunity; status: number; data: unknown; error: unknown }

const attempts = 5

/** Creates or updates one batch. Rows that another client has changed in between are read and written again. */
export async function upsertDeals(context: DealContext, opportunities: Opportunity[]) {
  const written: { deal: Deal; outcome: Outcome }[] = []
  let open = opportunities
  for (let attempt = 1; open.length > 0; attempt++) {
    const stored = await readDeals(context, open)
    const elements = await sendBatch(context, '/deals/batch/upsert', open, opportunity =>
      dealInput(context, opportunity, stored.get(opportunity)),
    )
    const stale = elements.filter(({ error }) => isStale(error) && attempt < attempts)
    const settled = elements.filter(element => !stale.includes(element))
    refuseUnless(settled, ({ status }) => status === 200 || status === 201)

    for (const { opportunity, status, data } of settled) {
      const deal = readDeal(opportunity, data)
      const isUnchanged = deal.version === stored.get(opportunity)?.version
      written.push({ deal, outcome: status === 201 ? 'created' : isUnchanged ? 'unchanged' : 'updated' })
    }
    open = stale.map(({ opportunity }) => opportunity)
  }
  return written
}

export function isInItsStage({ stageUuids }: DealContext, { opportunity, stageUuid }: Deal): boolean {
  return stageUuid === uuidOf(stageUuids, opportunity.stage)
}

/** Moves the deal to the stage of its row. Returns false if another client has changed it in between. */
export async function moveDeal(context: DealContext, deal: Deal): Promise<boolean> {
  const { client, stageUuids } = context
  const { opportunity, id } = deal
  const stageUuid = uuidOf(stageUuids, opportunity.stage)
  let current = deal
  for (let attempt = 1; !isInItsStage(context, current); attempt++) {
    try {
      await client.patch(`/deals/${id}/move`, { expectedVersion: current.version, stageUuid })
      return true
    } catch (error) {
      const mayTryAgain = error instanceof Refusal && isStale(error) && attempt < attempts
      if (!mayTryAgain) throw new Error(`${placeOf(opportunity)} was not moved`, { cause: error })
      const { data } = await client.get(`/deals/${id}`)
      current = readDeal(opportunity, data)
    }
  }
  return false
}

/** The existing deals, with the version that an update must name. */
async function readDeals(context: DealContext, opportunities: Opportunity[]): Promise<Map<Opportunity, Deal>> {
  const elements = await sendBatch(context, '/deals/batch/get', opportunities, ({ id }) => ({ externalId: id }))
  refuseUnless(elements, ({ status }) => status === 200 || status === 404)
  const existing = elements.filter(({ status }) => status === 200)
  return new Map(existing.map(({ opportunity, data }) => [opportunity, readDeal(opportunity, data)]))
}

function dealInput(context: DealContext, opportunity: Opportunity, stored: Deal | undefined) {
  const { id, agent, product, account, stage, engageDate, closeDate, amount } = opportunity
  const firstStage = stage === 'Prospecting' ? 'Prospecting' : 'Engaging'
  const { pipelineId, stageUuids, operatorUuids, currency } = context
  return {
    externalId: id,
    title: `${product} for ${account ?? 'unknown customer'}`,
    description: engageDate && `Engaged on ${engageDate}.`,
    ownerUuid: uuidOf(operatorUuids, agent),
    amount,
    currency: amount && currency,
    expectedCloseDate: closeDate,
    ...customerInput(context, opportunity, stored),
    // An update cannot change the stage; a move does.
    ...(stored ? { expectedVersion: stored.version } : { pipelineId, stageUuid: uuidOf(stageUuids, firstStage) }),
  }
}

function customerInput({ unknownCustomerId }: DealContext, { account }: Opportunity, stored: Deal | undefined) {
  // Data that people have added for an unknown customer since then stays.
  if (account === null) return stored ? {} : { contacts: [{ externalId: unknownCustomer.externalId }] }

  const companies = [{ externalId: account }]
  if (!stored?.contactIds.includes(unknownCustomerId)) return { companies }
  // The customer is now known: the placeholder is removed, other contacts stay.
  const others = stored.contactIds.filter(id => id !== unknownCustomerId)
  return { companies, contacts: others.map(id => ({ id })) }
}

/** One element for each opportunity, in order. */
async function sendBatch(
  { client }: DealContext,
  path: string,
  opportunities: Opportunity[],
  toItem: (opportunity: Opportunity) => object,
): Promise<Element[]> {
  const answer = await client.post(path, { items: opportunities.map(toItem) })
  const elements = new Map(listOf(answer, 'data').map(element => [integerOf(element, 'index'), element]))
  return opportunities.map((opportunity, index) => {
    const element = elements.get(index)
    const status = integerOf(element, 'status')
    return { opportunity, status, data: memberOf(element, 'data'), error: memberOf(element, 'error') }
  })
}

function refuseUnless(elements: Element[], isExpected: (element: Element) => boolean) {
  const refused = elements.filter(element => !isExpected(element))
  const reasons = refused.map(
    ({ opportunity, status, error }) => `${placeOf(opportunity)} was refused: ${status} ${explain(error)}`,
  )
  if (reasons.length > 0) throw new Error(reasons.join('\n'))
}

function readDeal(opportunity: Opportunity, data: unknown): Deal {
  return {
    opportunity,
    id: textOf(data, 'id'),
    version: integerOf(data, 'version'),
    stageUuid: textOf(data, 'stageUuid'),
    contactIds: textsOf(data, 'contactIds'),
  }
}

function placeOf({ row, id }: Opportunity): string {
  return `sales_pipeline.csv row ${row} (${id})`
}
