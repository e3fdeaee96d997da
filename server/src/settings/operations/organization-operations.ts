import { cabinetConventions, cabinetPath, defineOperation, type Operation, Refusal } from '../../kernel/index.ts'
import { isObject } from '../../kernel/schema/index.ts'
import { organizationControls, setOrganization } from '../change-organization.ts'
import { showOrganization } from '../show-settings.ts'
import { administrationBy, answerAdministration } from './answer-administration.ts'
import { controlsMeta, controlsMetaSchema } from './controls-meta.ts'
import { changedSettingBody, settingVersion, staleSetting } from './setting-body.ts'

const path = cabinetPath('/settings/organization')
const common = { conventions: cabinetConventions, idempotent: false } as const
const schema = {
  component: 'OrganizationSetting',
  type: 'object',
  required: ['id', 'version'],
  properties: { id: { type: 'string', format: 'uuid' }, ...settingVersion },
}

/** `GET …/settings/organization`, and `PATCH`, for owners: what is the operator's is shown, and refused. */
export const organizationOperations: readonly Operation[] = [
  defineOperation({
    ...common,
    id: 'settings.organization.get',
    method: 'GET',
    path,
    summary: 'Read the settings of the organization',
    scopes: ['settings_manage'],
    answer: { data: schema, meta: controlsMetaSchema, name: 'OrganizationSettingWithFields' },
    async execute({ caller }, { database }) {
      const data = await showOrganization(database, caller.organization.id)
      return { status: 200, data, meta: controlsMeta(organizationControls) }
    },
  }),
  defineOperation({
    ...common,
    id: 'settings.organization.update',
    method: 'PATCH',
    path,
    summary: 'Change the settings of the organization',
    scopes: ['members_manage'],
    description: 'Its version rises with each change of its settings, members and tokens.',
    body: changedSettingBody('OrganizationSettingUpdate', organizationControls.set),
    refuses: [
      staleSetting,
      ['unprocessable', 'A value is not possible, or only the operator of the installation may set it.'],
    ],
    answer: { data: schema },
    async execute(request, services) {
      const { id: organizationId } = request.caller.organization
      const change = isObject(request.body) ? request.body : {}
      const changed = await answerAdministration(async () => {
        await setOrganization(administrationBy(request, services), { ...change, organizationId })
        return showOrganization(services.database, organizationId)
      })
      return changed instanceof Refusal ? changed : { status: 200, data: changed, meta: {} }
    },
  }),
]
