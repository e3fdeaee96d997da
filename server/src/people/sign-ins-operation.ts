import {
  cabinetConventions,
  cabinetPath,
  defineOperation,
  pageMeta,
  type Request,
  readPage,
  type Services,
} from '../kernel/index.ts'
import { listSchema, textSchema, uuidSchema } from '../kernel/schema/index.ts'
import type { Row } from '../kernel/sql/index.ts'
import { selectSignIns, toldAccountEvents } from './members.sql.ts'

const signInSchema = {
  component: 'SignInEvent',
  type: 'object',
  required: ['id', 'occurredAt', 'event', 'addressClass', 'memberId', 'name'],
  properties: {
    id: uuidSchema,
    occurredAt: { type: 'string', format: 'date-time' },
    event: { component: 'SignInEventName', type: 'string', enum: [...toldAccountEvents] },
    addressClass: {
      type: ['string', 'null'],
      description: 'From where it came: loopback, private, public or unknown; null for a command.',
    },
    memberId: uuidSchema,
    name: textSchema('The name of the member.', 'Olga'),
  },
}

/** `GET …/sign-ins`: who of the members came in, tried to, or changed what lets them in; the newest first. */
export const listSignIns = defineOperation({
  conventions: cabinetConventions,
  id: 'members.signIns',
  method: 'GET',
  path: cabinetPath('/sign-ins'),
  summary: 'List the sign-ins of the members',
  description: 'Since they became members, as far as the log of accounts is kept: 90 days.',
  scopes: ['audit_all'],
  query: cabinetConventions.pages,
  answer: { data: listSchema(signInSchema), meta: pageMeta },
  execute: readSignIns,
})

/** Before this place the first page begins. */
const newest = { occurredAt: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }

function readSignIns(request: Request, services: Services) {
  const { caller, reader } = request
  return readPage<Row>(request, services, {
    show: row => ({
      id: row.id,
      occurredAt: row.occurred_at,
      event: row.event,
      addressClass: row.address_class,
      memberId: row.member,
      name: row.name,
    }),
    positionOf: row => ({ occurredAt: row.occurred_at, id: row.id }),
    async fill(page, { after, most }) {
      const { occurredAt, id } = after ?? newest
      const values = [caller.organization.id, occurredAt, id, toldAccountEvents, most]
      await services.database.query(selectSignIns, values, reader, (row, bytes) => page.add(row, bytes))
    },
  })
}
