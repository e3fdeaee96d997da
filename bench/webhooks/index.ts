import type { Cleanup } from '../cleanup.ts'
import type { Options } from '../options.ts'
import { measureDelivery } from './delivery.ts'
import { measureFirstByte } from './first-byte.ts'
import { measureWaits } from './waits.ts'
import { measureWrites } from './writes.ts'

const parts = {
  delivery: measureDelivery,
  'first byte': measureFirstByte,
  writes: measureWrites,
  waits: measureWaits,
}

/** Measures webhooks and requests that wait for changes, each part on a database of its own. */
export async function measureWebhooks(options: Options, cleanup: Cleanup): Promise<void> {
  for (const [name, measure] of Object.entries(parts)) {
    if (!name.includes(options.named)) continue
    console.log(`\n${name}`)
    await measure(options, cleanup)
  }
}
