import { answered, api, onceOnly } from './api.ts'

const external = '/api/v1/ai-agents/external'

/** Creates an agent that knows the products and rules of a shop. It is idempotent: repeated runs create no duplicates. */
export async function provideAgent(name: string): Promise<void> {
  const [setId, baseId] = [await provideProductSet(name), await provideKnowledgeBase(name)]
  const agents = answered(await api.GET(`${external}/agents`)).data
  if (agents.some(agent => agent.name === name)) return
  const body = { name, instructions: 'Answer briefly.', productSetIds: [setId], knowledgeBaseIds: [baseId] }
  answered(await api.POST(`${external}/agents`, { params: onceOnly(), body }))
}

async function provideProductSet(name: string): Promise<string> {
  const sets = answered(await api.GET(`${external}/products-sets`)).data
  const set =
    sets.find(each => each.name === name) ??
    answered(await api.POST(`${external}/products-sets`, { params: onceOnly(), body: { name } })).data
  const product = { id: 'oak-chair', name: 'Oak chair', price: '149.00' }
  const params = { path: { setId: set.id, productId: product.id }, ...onceOnly() }
  const replaced = await api.PUT(`${external}/products-sets/{setId}/products/{productId}`, { params, body: product })
  if (replaced.error?.error.code === 'not_found') {
    const params = { path: { setId: set.id }, ...onceOnly() }
    answered(await api.POST(`${external}/products-sets/{setId}/products`, { params, body: product }))
  } else answered(replaced)
  return set.id
}

async function provideKnowledgeBase(name: string): Promise<string> {
  const bases = answered(await api.GET(`${external}/knowledge-bases`)).data
  const base =
    bases.find(each => each.name === name) ??
    answered(await api.POST(`${external}/knowledge-bases`, { params: onceOnly(), body: { name } })).data
  const params = { path: { kbId: base.id, fileId: 'returns' }, ...onceOnly() }
  const body = { file: 'Chairs can be returned within 30 days.' }
  const bodySerializer = ({ file }: typeof body) => {
    const form = new FormData()
    form.set('file', new Blob([file]), 'returns.txt')
    return form
  }
  answered(await api.PUT(`${external}/knowledge-bases/{kbId}/files/{fileId}`, { params, body, bodySerializer }))
  return base.id
}
