import type { Crm } from 'crm-sdk'
import type { DealUpsert, WrittenDeal } from 'crm-sdk/schemas'
import { type Directories, uuidOf } from './directories.ts'
import { untilEnded } from './jobs.ts'
import type { Opportunity } from './opportunities.ts'

/** Represents the customer of opportunities without an account, because a deal needs a company or a contact. */
export const unknownCustomer = { externalId: 'sales-pipeline:unknown-customer', lastName: 'Unknown customer' }

/** An opportunity, and the deal that stands for it in the CRM. */
export type Written = { opportunity: Opportunity; deal: WrittenDeal }

/** How many records a bulk job changes at most. */
const mostTargets = 10_000

/** Creates or changes a deal for each opportunity. */
export async function writeDeals(crm: Crm, directories: Directories, opportunities: Opportunity[]): Promise<Written[]> {
  const versions = new Map<string | null, number>()
  for await (const { externalId, version } of crm.deals.list({ limit: 100 })) versions.set(externalId, version)
  const rows = opportunities.map(opportunity => dealOf(directories, opportunity, versions.has(opportunity.id)))

  const written: Written[] = []
  const counts = { created: 0, updated: 0, unchanged: 0 }
  // A name of its own for each run: the file may say again what somebody has changed since the last one.
  const run = `sales-pipeline-${Date.now()}`
  for await (const { index, status, record: deal, error } of crm.deals.upsertAll(rows, { run })) {
    const opportunity = opportunities[index]
    if (error || !opportunity) throw new Error(`Opportunity ${opportunity?.id} was refused: ${JSON.stringify(error)}`)
    const isUnchanged = deal.version === versions.get(opportunity.id)
    counts[status === 201 ? 'created' : isUnchanged ? 'unchanged' : 'updated'] += 1
    written.push({ opportunity, deal })
    if (written.length % 500 === 0) console.log(`Deals ${written.length} of ${rows.length}`)
  }
  console.log(`Deals: ${counts.created} created, ${counts.updated} updated, ${counts.unchanged} unchanged`)
  return written
}

/** Takes the unknown customer from deals whose account is known by now. Other contacts stay. */
export async function removeUnknownCustomer(crm: Crm, unknownCustomerId: string, written: Written[]): Promise<void> {
  for (const { opportunity, deal } of written) {
    if (opportunity.account === null || !deal.contactIds?.includes(unknownCustomerId)) continue
    await crm.deals.change(deal.id, ({ contactIds }) => ({
      contacts: contactIds.filter(id => id !== unknownCustomerId).map(id => ({ id })),
    }))
  }
}

/** Moves deals to the stages of their opportunities: one job for each stage. */
export async function moveDeals(crm: Crm, { stageUuids }: Directories, written: Written[]): Promise<void> {
  let moved = 0
  for (const [name, stageUuid] of stageUuids) {
    const targets = written
      .filter(({ opportunity, deal }) => opportunity.stage === name && deal.stageUuid !== stageUuid)
      .map(({ deal }) => ({ id: deal.id }))
    while (targets.length > 0) {
      const request = { entityType: 'deal', action: 'move', changes: { stageUuid } } as const
      const { id } = await crm.bulkJobs.create({ ...request, targets: targets.splice(0, mostTargets) })
      const { status, counters, errors } = await untilEnded(() => crm.bulkJobs.get(id))
      if (status !== 'completed') throw new Error(`Moves to ${name} ended ${status}: ${JSON.stringify(errors[0])}`)
      moved += counters.succeeded
    }
  }
  console.log(`Moves: ${moved}`)
}

function dealOf(directories: Directories, opportunity: Opportunity, exists: boolean): DealUpsert {
  const { id, agent, product, account, stage, engageDate, closeDate, amount, currency } = opportunity
  const { pipelineId, stageUuids, operatorUuids } = directories
  return {
    externalId: id,
    title: `${product} for ${account ?? 'unknown customer'}`,
    description: engageDate && `Engaged on ${engageDate}.`,
    ownerUuid: uuidOf(operatorUuids, agent),
    amount,
    currency,
    expectedCloseDate: closeDate,
    ...(account !== null && { companies: [{ externalId: account }] }),
    // Whom people have entered for an unknown customer since then stays.
    ...(account === null && !exists && { contacts: [{ externalId: unknownCustomer.externalId }] }),
    // Only a move changes the stage of a deal, and takes it to one in which it is won or lost.
    ...(!exists && {
      pipelineId,
      stageUuid: uuidOf(stageUuids, stage === 'Prospecting' ? 'Prospecting' : 'Engaging'),
    }),
  }
}
