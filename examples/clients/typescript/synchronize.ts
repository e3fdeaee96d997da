import { answered, api, onceOnly } from './api.ts'
import { provideAgent } from './shop-agent.ts'

async function wonStage(): Promise<string> {
  const { directories } = answered(await api.GET('/api/v1/crm/capabilities')).data
  const stages = directories.pipelines.filter(({ isDefault }) => isDefault).flatMap(pipeline => pipeline.stages)
  return stages.find(({ type }) => type === 'won')?.uuid ?? ''
}

let position = answered(await api.GET('/api/v1/crm/changes/cursor')).data.cursor
let contacts = 0
let cursor: string | undefined
do {
  const query = { limit: 10, ...(cursor && { cursor }) }
  const page = answered(await api.GET('/api/v1/crm/contacts', { params: { query } }))
  contacts += page.data.length
  cursor = page.meta.nextCursor ?? undefined
} while (cursor !== undefined)

const body = { externalId: 'erp-typescript', industry: 'Furniture' }
let upserted = await api.POST('/api/v1/crm/companies/upsert', { params: onceOnly(), body })
const failure = upserted.error?.error
if (failure?.code === 'precondition_required') {
  const retried = { ...body, expectedVersion: failure.details.currentVersion }
  upserted = await api.POST('/api/v1/crm/companies/upsert', { params: onceOnly(), body: retried })
}
const company = answered(upserted).data

const deal = { title: 'Two hundred chairs', companies: [{ id: company.id }] }
const created = answered(await api.POST('/api/v1/crm/deals', { params: onceOnly(), body: deal })).data
const move = { expectedVersion: created.version, stageUuid: await wonStage() }
const params = { path: { id: created.id }, ...onceOnly() }
const moved = answered(await api.PATCH('/api/v1/crm/deals/{id}/move', { params, body: move })).data

const kinds: string[] = []
let hasMore = true
while (hasMore) {
  const changes = answered(await api.GET('/api/v1/crm/changes', { params: { query: { after: position } } }))
  kinds.push(...changes.data.map(({ kind }) => kind))
  ;({ nextCursor: position, hasMore } = changes.meta)
}

await provideAgent('erp-typescript')

console.log(`${contacts} contacts, company at version ${company.version}, deal ${moved.status}: ${kinds.join(' ')}`)
