import { Crm } from '../../../packages/sdk/src/index.ts'
import { people } from './people.ts'

// A program of an integrator: writes so many people in one run. The run has created each of them, whichever of its starts it was: a row
// that was sent a second time without its key would be an update.

const [count = '0', run = ''] = process.argv.slice(2)
let written = 0
for await (const { status, error } of Crm.fromEnvironment().contacts.upsertAll(people(Number(count)), { run })) {
  if (status !== 201) throw new Error(`status ${status}: ${error?.message}`)
  written += 1
}
console.log(`${written} written`)
