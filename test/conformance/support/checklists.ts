import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import { aTask } from '../../support/builders.ts'
import type { Answer } from '../../support/client.ts'
import type { TestOrganization } from '../../support/organization.ts'

/** A task, and where its checklists are. */
export async function aTaskWithChecklists({ client }: TestOrganization) {
  const task = await added(client.post('/tasks', aTask()))
  return { task: String(task.id), checklists: `/tasks/${task.id}/checklists` }
}

/** A checklist of a new task with some items, which are called by their number. */
export async function aChecklist(organization: TestOrganization, items = 0) {
  const { client } = organization
  const { task, checklists } = await aTaskWithChecklists(organization)
  const checklist = await added(client.post(checklists, { title: 'Before the call' }))
  const path = `${checklists}/${checklist.id}`
  const ids: string[] = []
  while (ids.length < items) ids.push(String((await added(client.post(`${path}/items`, { text: `${ids.length}` }))).id))
  return { task, checklists, id: String(checklist.id), path, items: ids }
}

async function added(call: Promise<Answer>): Promise<JsonObject> {
  const { status, data, body } = await call
  if (status !== 201) throw new Error(`nothing was added: ${JSON.stringify(body)}`)
  return data
}
