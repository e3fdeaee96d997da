import { newId } from '../../../server/src/kernel/schema/index.ts'
import { customFieldKinds } from '../../../server/src/modules.ts'
import { createCustomField } from '../../../server/src/settings/index.ts'
import type { TestApi, TestClock } from '../../support/api.ts'
import type { TestOrganization } from '../../support/organization.ts'
import { tagsOf } from '../tags.ts'

export const kinds = ['contact', 'company', 'deal', 'task'] as const

export const customFieldTypes = [
  'text',
  'number',
  'boolean',
  'date',
  'datetime',
  'select',
  'multiselect',
  'url',
  'user',
] as const
export const customOptions = ['first', 'second', 'third', 'fourth'] as const

/** Minutes that the time zone of the organization is ahead of UTC, in summer and in winter. */
export const zone = { name: 'Asia/Kolkata', minutes: 330 } as const

/** What there is to choose from in the organization. */
export interface Surroundings {
  readonly organization: TestOrganization
  readonly clock: TestClock
  readonly tagIds: readonly string[]
  readonly operators: readonly string[]
  readonly stages: readonly string[]
}

/** Gives an organization a time zone, tags, and a custom field of each type, named like its type, for every kind. */
export async function configure(api: TestApi, organization: TestOrganization, clock: TestClock): Promise<Surroundings> {
  const { test } = api
  const { id: organizationId, operator, stages } = organization
  await test.database.script(`update organizations set time_zone = '${zone.name}' where id = '${organizationId}'`)
  const second = newId()
  await test.database.script(
    `insert into operators (organization_id, id, name, email, active, created_at)
     values ('${organizationId}', '${second}', 'Vera', 'vera@example.com', true, now())`,
  )
  const options = customOptions.map(key => ({ key, label: key }))
  for (const kind of kinds)
    for (const type of customFieldTypes) {
      const choice = type === 'select' || type === 'multiselect' ? { options } : {}
      await createCustomField(test, { organizationId, kind, key: type, type, ...choice }, customFieldKinds)
    }
  return {
    organization,
    clock,
    tagIds: await tagsOf(api, organization, 6),
    operators: [operator, second],
    stages: [stages.first, stages.second, stages.won, stages.lost],
  }
}
