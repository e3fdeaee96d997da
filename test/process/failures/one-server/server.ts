import { afterAll } from 'vitest'
import { Client } from '../../../support/client.ts'
import { useProcesses } from '../../../support/process.ts'
import { anApplication, type Installation, installationOn } from '../../support/installations.ts'

const processes = useProcesses()
let started: Promise<Installation> | undefined

/** The server that these tests share, with an organization of the caller's own. */
export async function onServer(): Promise<Installation> {
  started ??= installationOn(processes)
  const { server, test } = await started
  const { organizationId, token } = await anApplication(test.database)
  return { server, test, organizationId, client: new Client(server.url, token) }
}

afterAll(async () => (await started)?.test.drop())
