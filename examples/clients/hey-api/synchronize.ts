import { client } from './crm/client.gen.ts'
import * as crm from './crm/sdk.gen.ts'
import { provideAgent } from './shop-agent.ts'

client.setConfig({ baseUrl: process.env['CRM_BASE_URL'] ?? '', auth: process.env['CRM_TOKEN'] ?? '' })
const throwOnError = true
const onceOnly = () => ({ 'Idempotency-Key': crypto.randomUUID() })

async function wonStage(): Promise<string> {
  const { directories } = (await crm.capabilitiesGet({ throwOnError })).data.data
  const stages = directories.pipelines.filter(({ isDefault }) => isDefault).flatMap(pipeline => pipeline.stages)
  return stages.find(({ type }) => type === 'won')?.uuid ?? ''
}

let position = (await crm.changesCursor({ throwOnError })).data.data.cursor
let contacts = 0
let cursor: string | undefined
do {
  const { data: page } = await crm.contactsList({ query: { limit: 10, ...(cursor && { cursor }) }, throwOnError })
  contacts += page.data.length
  cursor = page.meta.nextCursor ?? undefined
} while (cursor !== undefined)

const body = { externalId: 'erp-hey-api', industry: 'Furniture' }
let upserted = await crm.companiesUpsert({ headers: onceOnly(), body })
const failure = upserted.error?.error
if (failure?.code === 'precondition_required') {
  const retried = { ...body, expectedVersion: failure.details.currentVersion }
  upserted = await crm.companiesUpsert({ headers: onceOnly(), body: retried })
}
const company = upserted.data?.data
if (company === undefined) throw new Error(JSON.stringify(upserted.error))

const deal = { title: 'Two hundred chairs', companies: [{ id: company.id }] }
const { data: created } = await crm.dealsCreate({ headers: onceOnly(), body: deal, throwOnError })
const { id, version } = created.data
const move = { expectedVersion: version, stageUuid: await wonStage() }
const { data: moved } = await crm.dealsMove({ path: { id }, headers: onceOnly(), body: move, throwOnError })

const kinds: string[] = []
let hasMore = true
while (hasMore) {
  const { data: changes } = await crm.changesList({ query: { after: position }, throwOnError })
  kinds.push(...changes.data.map(({ kind }) => kind))
  ;({ nextCursor: position, hasMore } = changes.meta)
}

await provideAgent('erp-hey-api')

console.log(
  `${contacts} contacts, company at version ${company.version}, deal ${moved.data.status}: ${kinds.join(' ')}`,
)
