import { crmConventions, defineOperation, pageMeta, readPartPage } from '../../kernel/index.ts'
import { deal } from './deal.ts'
import { eventPage } from './event.sql.ts'
import { eventSchema, projectEvents, toEvent } from './event.ts'

/** `GET /deals/:id/events`: the events of a deal, newest first. Events never change (contract section 11). */
export const listDealEvents = defineOperation({
  id: 'deals.events.list',
  method: 'GET',
  path: `${deal.path}/{dealId}/events`,
  summary: 'List the events of a deal',
  description: 'The newest first. Events are written once and never altered.',
  scopes: ['crm_deals_read'],
  query: crmConventions.pages,
  refuses: [['not_found', 'There is no such deal.']],
  answer: { data: { type: 'array', items: eventSchema }, meta: pageMeta },
  project: projectEvents,
  execute: (request, services) =>
    readPartPage({ parameter: 'dealId', ordered: 'createdAt', statement: eventPage, show: toEvent }, request, services),
})
