import { randomUUID } from 'node:crypto'
import { Outbound } from '../../server/src/kernel/outbound/index.ts'
import { eventSources } from '../../server/src/modules.ts'
import { createWebhook, type WebhookAdministration } from '../../server/src/settings/index.ts'
import type { TestDatabase } from './database.ts'
import type { TestOrganization } from './organization.ts'

/** Who administers webhooks in tests; receivers may be on loopback. */
export function webhookAdministration(test: TestDatabase): WebhookAdministration {
  return { ...test, eventSources, outbound: new Outbound({ allowedNetworks: ['127.0.0.0/8'] }) }
}

/** A webhook of the application of an organization, for all events unless the input says something else. */
export function aWebhook(
  test: TestDatabase,
  { id: organizationId, applicationId }: Pick<TestOrganization, 'id' | 'applicationId'>,
  input: Partial<Parameters<typeof createWebhook>[1]> = {},
) {
  const usual = { name: randomUUID(), url: 'https://hooks.example/crm', kinds: ['*'] }
  return createWebhook(webhookAdministration(test), { organizationId, applicationId, ...usual, ...input })
}
