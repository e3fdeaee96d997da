import type { TestProject } from 'vitest/node'
import { anApplication, besideServer } from '../../process/support/installations.ts'
import { Client } from '../../support/client.ts'
import { compileProgram } from '../../support/compiled.ts'
import { Processes } from '../../support/process.ts'
import { Figures } from './figures.ts'
import { createContacts, createEvents, createLargeCompanies, type Scene } from './scene.ts'

// ABUSE_EVENTS=3000000 is the feed of a large organization, and takes half a minute more to fill.
const sizes = {
  contacts: Number(process.env['ABUSE_CONTACTS'] ?? '60000'),
  largeCompanies: 100,
  events: Number(process.env['ABUSE_EVENTS'] ?? '600000'),
}

/** Makes what all attacks find, once; prints the table of what was measured when they are over. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const processes = new Processes()
  await processes.compile(compileProgram)
  const folder = await processes.folder()
  const scene = await makeScene(processes, folder).catch(async (error: unknown) => {
    await processes.end()
    throw error
  })
  project.provide('scene', scene)
  return async () => {
    console.log(`\n${await new Figures(folder).table()}`)
    await processes.end()
  }
}

async function makeScene(processes: Processes, folder: string): Promise<Scene> {
  const server = await processes.serve({ CRM_DATA_DIR: folder })
  const database = await besideServer(folder)
  const [loud, quiet] = [await anApplication(database), await anApplication(database)]
  const [attacker, neighbour] = [new Client(server.url, loud.token), new Client(server.url, quiet.token)]
  const feedStart = String((await attacker.get('/changes/cursor')).data.cursor)
  const { id } = (await neighbour.post('/contacts', { firstName: 'Anna', lastName: 'Petrova' })).data
  await createLargeCompanies(attacker, sizes.largeCompanies)
  await createContacts(database, loud.organizationId, sizes.contacts)
  await createEvents(database, loud.organizationId, sizes.events)
  await database.script('vacuum analyze')
  await database.close()
  await server.end('SIGTERM')
  return { folder, loud, quiet: { token: quiet.token, contactId: String(id) }, feedStart, events: sizes.events }
}

declare module 'vitest' {
  interface ProvidedContext {
    scene: Scene
  }
}
