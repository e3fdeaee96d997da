import {
  cabinetConventions,
  cabinetPath,
  defineOperation,
  kindsWith,
  type Operation,
  type OwnRefusal,
  type Permission,
  Refusal,
  type Request,
  type Resource,
  type Services,
} from '../../kernel/index.ts'
import { isObject, type JsonObject, type JsonSchema, listSchema } from '../../kernel/schema/index.ts'
import type { Controls } from '../controls.ts'
import type { Administered } from '../setting.ts'
import { listSettings, showSetting } from '../show-settings.ts'
import { wordFor } from '../values.ts'
import { administrationBy, answerAdministration } from './answer-administration.ts'
import { controlsMeta, controlsMetaSchema } from './controls-meta.ts'
import { changedSettingBody, newSettingBody, settingVersion, staleSetting } from './setting-body.ts'

/** A kind of settings, or of records that are administered like settings, whose operations follow from its declaration. */
interface OfferedSetting {
  readonly administered: Administered
  /** What listing and what changing it needs. */
  readonly reads: Permission
  readonly changes: Permission
}

/**
 * `GET …/settings/<kind>`, `POST`, `GET …/{id}`, `PATCH …/{id}` and `DELETE …/{id}`. They take no `Idempotency-Key`: what is unique among
 * settings is their name. `settingKinds` are all kinds of settings, which may refer to the one that is removed.
 */
export function settingOperations(
  { administered, reads, changes }: OfferedSetting,
  settingKinds: readonly Resource[],
): readonly Operation[] {
  const { controls, kind: setting } = administered
  const { plural, title, parent, conventions } = setting
  const group = `settings.${plural.replaceAll(/-(\w)/gu, (_, letter: string) => letter.toUpperCase())}`
  const path = cabinetPath(`/settings/${plural}`)
  const words = wordFor(setting)
  const ofParent = parent === null || parent.resource.kind === 'organization' ? null : parent.member
  const common = { conventions: cabinetConventions, idempotent: false } as const
  const shown = async (id: string, { caller }: Request, { database }: Services) =>
    withoutOrganization(await showSetting(database, setting, id, caller.organization.id))
  const missing: OwnRefusal = ['not_found', `There is no such ${words}.`]
  const wrong: OwnRefusal = [
    'unprocessable',
    'A value is not possible, or only the operator of the installation may set it.',
  ]
  const { synchronizes } = conventions
  const schema = settingSchema(title, synchronizes)
  const body = (request: Request) => (isObject(request.body) ? request.body : {})
  return [
    defineOperation({
      ...common,
      id: `${group}.list`,
      method: 'GET',
      path,
      summary: `List the ${words}s`,
      scopes: [reads],
      answer: { data: listSchema(schema), meta: controlsMetaSchema },
      async execute({ caller }, { database }) {
        const data = await listSettings(database, setting, { organizationId: caller.organization.id })
        return { status: 200, data, meta: controlsMeta(controls) }
      },
    }),
    defineOperation({
      ...common,
      id: `${group}.create`,
      method: 'POST',
      path,
      summary: `Create a ${words}`,
      scopes: [changes],
      success: [201],
      body: newSettingBody(`${title}SettingCreate`, controls.create, ofParent),
      refuses: [missing, wrong],
      answer: { data: schema },
      execute: (request, services) =>
        answerWith(201, async () => {
          const { id: organizationId } = request.caller.organization
          const administration = administrationBy(request, services)
          const kinds = kindsToChoose(controls, services)
          const receipt = await administered.create(administration, { ...body(request), organizationId }, kinds)
          return shown(receipt.id, request, services)
        }),
    }),
    defineOperation({
      ...common,
      id: `${group}.get`,
      method: 'GET',
      path: `${path}/{id}`,
      summary: `Read a ${words}`,
      scopes: [reads],
      refuses: [missing],
      answer: { data: schema },
      execute: (request, services) => answerWith(200, () => shown(request.path.id ?? '', request, services)),
    }),
    defineOperation({
      ...common,
      id: `${group}.update`,
      method: 'PATCH',
      path: `${path}/{id}`,
      summary: `Change a ${words}`,
      scopes: [changes],
      body: changedSettingBody(`${title}SettingUpdate`, controls.set, synchronizes),
      refuses: [missing, wrong, ...(synchronizes ? [staleSetting] : [])],
      answer: { data: schema },
      execute: (request, services) =>
        answerWith(200, async () => {
          const { id: organizationId } = request.caller.organization
          const { id = '' } = request.path
          await administered.set(administrationBy(request, services), { ...body(request), organizationId, id })
          return shown(id, request, services)
        }),
    }),
    defineOperation({
      ...common,
      id: `${group}.delete`,
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: `Remove ${administered.removes ?? `a ${words} that nothing refers to`}`,
      scopes: [changes],
      refuses: [missing, ['unprocessable', 'Something refers to it, or it is needed.']],
      answer: { data: removedSchema },
      execute: (request, services) =>
        answerWith(200, async () => {
          const { id: organizationId } = request.caller.organization
          const { id = '' } = request.path
          const kinds = [...services.resources, ...services.nestedResources, ...settingKinds]
          const removed = await administered.remove(administrationBy(request, services), { organizationId, id }, kinds)
          return { ...removed, deleted: true }
        }),
    }),
  ]
}

async function answerWith(status: number, work: () => Promise<JsonObject>) {
  const data = await answerAdministration(work)
  return data instanceof Refusal ? data : { status, data, meta: {} }
}

/** The kinds of records that a control lets people choose from. */
function kindsToChoose({ create }: Controls, services: Services): readonly string[] {
  const role = create.find(({ form }) => form.kindsWith !== undefined)?.form.kindsWith
  return role === undefined ? [] : kindsWith(role, services)
}

function withoutOrganization({ organizationId: _, ...record }: JsonObject): JsonObject {
  return record
}

/** A setting as answers show it: its fields, and what every record has. Channels have no version. */
function settingSchema(title: string, isVersioned: boolean): JsonSchema {
  const properties = { id: { type: 'string' }, ...(isVersioned ? settingVersion : {}) }
  return { component: `${title}Setting`, type: 'object', required: Object.keys(properties), properties }
}

const removedSchema = {
  component: 'RemovedSetting',
  type: 'object',
  required: ['id', 'deleted'],
  properties: { id: { type: 'string' }, deleted: { type: 'boolean' } },
}
