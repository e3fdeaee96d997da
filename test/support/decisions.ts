import type { DealState } from '../../server/src/crm/deals/deal-fields.ts'
import type { RecordState, Resource, WriteContext } from '../../server/src/kernel/abilities/index.ts'
import { byApplication } from '../../server/src/kernel/index.ts'
import {
  type Configuration,
  type Issue,
  type OrganizationSettings,
  Refusal,
} from '../../server/src/kernel/schema/index.ts'

/**
 * The settings of an organization in UTC and US dollars. Like everything in this file it needs no database, and the arguments override the
 * defaults.
 */
export function organizationSettings(members: Partial<OrganizationSettings> = {}): OrganizationSettings {
  return {
    id: 'organization',
    name: 'Test',
    timeZone: 'UTC',
    defaultCurrency: 'USD',
    currencies: ['USD'],
    locale: 'en',
    country: 'US',
    crmProvider: 'built_in',
    ...members,
  }
}

/** A configuration of such an organization, with nothing else in it. */
export function aConfiguration(members: Partial<Configuration> = {}): Configuration {
  return {
    version: '1',
    organization: organizationSettings(),
    isReadOnly: false,
    operators: new Map(),
    pipelines: [],
    stages: new Map(),
    lostReasons: new Map(),
    customFields: new Map(),
    ...members,
  }
}

/** The context of a mutation by an application at a fixed time. */
export function aWriteContext(members: Partial<WriteContext> = {}): WriteContext {
  return {
    organizationId: 'organization',
    applicationId: 'application',
    configuration: aConfiguration(),
    organization: organizationSettings(),
    now: '2026-03-02T10:00:30.000Z',
    requestId: 'request',
    clientRequestId: null,
    transactionId: 'transaction',
    author: byApplication,
    managesCustomFields: true,
    random: () => 0.5,
    goneKey: key => `hidden ${key}`,
    encrypt: (secret, { recordId }) => `encrypted ${secret.length} of ${recordId}`,
    ...members,
  }
}

/** A record of a resource, top-level or nested, with the values of a new one. */
export function aRecord(resource: Resource, members: Partial<RecordState> = {}): RecordState {
  return {
    id: '0197e2a4-0000-7000-8000-000000000001',
    externalId: null,
    version: 1,
    createdAt: '2026-03-02T10:00:00.000Z',
    updatedAt: '2026-03-02T10:00:00.000Z',
    createdByApplicationId: null,
    createdByUuid: null,
    updatedByUuid: null,
    ...resource.codec.initial,
    ...members,
  }
}

/** An open deal of one company. */
export function aDealState(members: Partial<DealState> = {}): DealState {
  const now = '2026-03-02T10:00:00.000Z'
  return {
    id: 'deal',
    externalId: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
    createdByApplicationId: null,
    createdByUuid: null,
    updatedByUuid: null,
    kind: 'ordinary',
    title: 'Chairs',
    amount: null,
    currency: null,
    ownerUuid: null,
    rank: 'a5',
    tagIds: [],
    pipelineId: 'sales',
    stageUuid: 'talks',
    status: 'open',
    companies: ['c'],
    contacts: [],
    lostReasonCategoryUuid: null,
    lostReasonComment: null,
    stageChangedAt: now,
    closedAt: null,
    stageSpan: 1,
    itemsTotal: '0',
    itemsCount: 0,
    activitiesCount: 0,
    filesCount: 0,
    description: null,
    priority: null,
    expectedCloseDate: null,
    customFields: {},
    ...members,
  }
}

/** The issues of a refusal; throws unless the refusal and each issue have a message in words. */
export function issuesIn({ details, message }: Refusal): readonly Issue[] {
  const issues: readonly Issue[] = Array.isArray(details.issues) ? details.issues : []
  if ([message, ...issues.map(issue => issue.message)].some(text => !/\w \w/u.test(text))) {
    throw new Error('a refusal or one of its issues has no message')
  }
  return issues
}

/** A refusal in short form: the status, the code, and each issue by its path and rule. */
export function refused(result: unknown): unknown {
  if (!(result instanceof Refusal)) return result
  return [result.status, result.code, ...issuesIn(result).map(({ path, rule }) => `${path} ${rule}`)]
}
