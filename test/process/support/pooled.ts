import { expect } from 'vitest'
import type { Environment, Processes } from '../../support/process.ts'

/** Expects that no server starts behind a pooler that lends connections for single transactions, and that `doctor` says why. */
export async function expectNoSessions(processes: Processes, environment: Environment): Promise<void> {
  const served = await processes.run(['serve'], { PORT: '0', ...environment })
  expect([served.status, served.out]).toEqual([1, ''])
  expect(served.err).toMatch(/the connection to the database does not keep its settings .* session mode/u)
  const doctor = await processes.run(['doctor'], environment)
  expect(doctor.status).toBe(1)
  expect(doctor.out).toMatch(/^FAILED session: .* session mode/mu)
}
