import * as crm from './crm/sdk.gen.ts'

const throwOnError = true
const onceOnly = () => ({ 'Idempotency-Key': crypto.randomUUID() })

/** Creates an agent that knows the products and rules of a shop. It is idempotent: repeated runs create no duplicates. */
export async function provideAgent(name: string): Promise<void> {
  const [setId, baseId] = [await provideProductSet(name), await provideKnowledgeBase(name)]
  const { data: agents } = await crm.agentsList({ throwOnError })
  if (agents.data.some(agent => agent.name === name)) return
  const body = { name, instructions: 'Answer briefly.', productSetIds: [setId], knowledgeBaseIds: [baseId] }
  await crm.agentsCreate({ headers: onceOnly(), body, throwOnError })
}

async function provideProductSet(name: string): Promise<string> {
  const { data: sets } = await crm.productsSetsList({ throwOnError })
  const set =
    sets.data.find(each => each.name === name) ??
    (await crm.productsSetsCreate({ headers: onceOnly(), body: { name }, throwOnError })).data.data
  const body = { id: 'oak-chair', name: 'Oak chair', price: '149.00' }
  const path = { setId: set.id, productId: body.id }
  const { error } = await crm.productsSetsProductsReplace({ path, headers: onceOnly(), body })
  if (error?.error.code === 'not_found')
    await crm.productsSetsProductsCreate({ path: { setId: set.id }, headers: onceOnly(), body, throwOnError })
  else if (error !== undefined) throw new Error(JSON.stringify(error))
  return set.id
}

async function provideKnowledgeBase(name: string): Promise<string> {
  const { data: bases } = await crm.knowledgeBasesList({ throwOnError })
  const base =
    bases.data.find(each => each.name === name) ??
    (await crm.knowledgeBasesCreate({ headers: onceOnly(), body: { name }, throwOnError })).data.data
  const file = new File(['Chairs can be returned within 30 days.'], 'returns.txt')
  const path = { kbId: base.id, fileId: 'returns' }
  await crm.knowledgeBasesFilesPut({ path, headers: onceOnly(), body: { file }, throwOnError })
  return base.id
}
