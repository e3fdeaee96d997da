import { agents } from './ai-agents/agents/index.ts'
import { apiIntegrations } from './ai-agents/api-integrations/index.ts'
import { knowledgeBases } from './ai-agents/knowledge-bases/index.ts'
import { productsSets } from './ai-agents/products-sets/index.ts'
import { cabinet } from './cabinet/index.ts'
import { analytics } from './crm/analytics/index.ts'
import { audit } from './crm/audit/index.ts'
import { bulkJobs } from './crm/bulk-jobs/index.ts'
import { capabilities } from './crm/capabilities/index.ts'
import { changes } from './crm/changes/index.ts'
import { companies } from './crm/companies/index.ts'
import { contacts } from './crm/contacts/index.ts'
import { deals } from './crm/deals/index.ts'
import { exports } from './crm/exports/index.ts'
import { imports } from './crm/imports/index.ts'
import { search } from './crm/search/index.ts'
import { tasks } from './crm/tasks/index.ts'
import { channel, channels, channelWording } from './external/channels/index.ts'
import { kindsWith, productOf, servedScopes } from './kernel/index.ts'
import { membership, people } from './people/index.ts'
import { usagePages } from './requests/index.ts'
import { retention } from './retention/index.ts'
import {
  administeredRecord,
  channelPages,
  phoneNumbers,
  settings,
  settingsPages,
  webhookPages,
} from './settings/index.ts'
import { webhookDeliveries, webhooks } from './webhooks/index.ts'

/** The modules of the server. Records are locked in this order, so kinds that others refer to come first. */
export const {
  resources,
  nestedResources,
  bulkActions,
  erasures,
  jobTypes,
  operations,
  cabinetOperations,
  jobs,
  upkeep,
  eventSources,
  productBounds,
} = productOf([
  contacts,
  companies,
  deals,
  tasks,
  knowledgeBases,
  productsSets,
  apiIntegrations,
  agents,
  channels,
  changes,
  audit,
  search,
  capabilities,
  analytics,
  bulkJobs,
  exports,
  imports,
  phoneNumbers,
  webhooks,
  people,
  retention,
  settingsPages,
  usagePages,
  channelPages(administeredRecord(channel, channelWording)),
  // Which events there are follows from this list.
  webhookPages({ ...webhookDeliveries, eventSources: () => eventSources }),
  cabinet,
])

/** The scopes that permit something in this version; `all` stands for them. */
export const grantableScopes = servedScopes({ resources, nestedResources, operations })

/** Kinds of records that can have tags, and kinds that can have custom fields. */
export const taggedKinds = kindsWith('tags', { resources })
export const customFieldKinds = kindsWith('customFields', { resources })

/** Organizations and their settings: records that only commands and the pages can reach, and no route of the API. */
export const settingKinds = [...(settings.resources ?? []), membership]
