import { webhookBounds } from '../../../server/src/webhooks/bounds.ts'

// The program with leases of webhooks of nine seconds, so that a test need not wait for half a minute after each kill.

Reflect.set(webhookBounds.webhookLease, 'most', 9000)
Reflect.set(webhookBounds.webhookCall, 'most', 4500)
await import('../../support/held-program.ts')
