import { defineNested, type Needs, type Nested, Refusal, type Resource, type SettingsDraft } from '../kernel/index.ts'
import type { Fields, JsonObject } from '../kernel/schema/index.ts'
import type { Database } from '../kernel/sql/index.ts'
import { administer } from './administer.ts'
import { missing } from './administration-error.ts'
import { controlsOf, expectAllowed, withKinds } from './controls.ts'
import type { InputOf } from './fields.ts'
import { idNamed } from './organization-of.ts'
import { removeSetting } from './remove-setting.ts'
import { settleAmong } from './setting.rules.ts'
import type { Administered, MoreOf, Named, Setting, SettingDeclaration } from './setting.ts'
import { wordFor } from './values.ts'

/**
 * Derives all operations on a kind of settings from its declaration. Every operation throws an `AdministrationError` for an unknown
 * setting, an invalid value, and a refusal by the rules of the kind.
 */
export function defineSetting<
  const F extends Fields,
  Receipt extends Named,
  const M extends Fields | undefined = undefined,
>(declaration: SettingDeclaration<F, M, Receipt>): Setting<InputOf<F> & MoreOf<M>, Receipt> {
  const { add, alter, more, needs: needMore, owner, receipt, refersTo = {} } = declaration
  const kind = recordOf(declaration)
  const words = wordFor(kind)
  const controls = controlsOf({ ...declaration.fields, ...more })
  const administered: Administered<InputOf<F> & MoreOf<M>, Receipt> = {
    ...declaration,
    kind,
    controls,

    async create(administration, { organizationId, ...rest }, kinds = []) {
      const { database } = administration
      const { [kind.parent.member]: ownerText = organizationId, ...asked } = given(rest)
      expectAllowed(administration, controls.create, asked)
      const ownerId =
        owner.parent === null ? organizationId : await idNamed(database, owner, String(ownerText), organizationId)
      const references = await referencesIn(database, refersTo, asked, organizationId)
      const input: JsonObject = {
        ...withKinds(controls.create, asked, kinds, words),
        ...Object.fromEntries(references.map(({ member, id }) => [member, id])),
      }
      const change = {
        needs(needs: Needs) {
          if (isNested(owner)) needs.toLoadNested(owner, ownerId)
          needs.toLoadNestedIn(kind, ownerId)
          for (const { of, id } of references) needs.toLoadNested(of, id)
          needMore?.(needs, input, null)
        },
        decide(draft: SettingsDraft) {
          const parent = isNested(owner) ? draft.record(owner, ownerId) : draft.organization
          if (parent === null) return missing(wordFor(owner), String(ownerText))
          const unknown = references.find(({ of, id }) => draft.record(of, id) === null)
          if (unknown !== undefined) return missing(wordFor(unknown.of), unknown.text)
          const added = add === undefined ? draft.add(kind, input, {}, parent) : add(draft, input, kind, parent)
          return added instanceof Refusal ? added : receipt(added, draft)
        },
      }
      // If the input names an application, its external keys apply.
      const application = references.find(({ of }) => of.kind === 'application')
      return administer(administration, organizationId, change, application?.id)
    },

    async set(administration, { organizationId, id: text, ...rest }) {
      const input = given(rest)
      expectAllowed(administration, controls.set, input)
      const id = await idNamed(administration.database, kind, text, organizationId)
      return administer(administration, organizationId, {
        needs(needs, work) {
          needs.toLoadNested(kind, id)
          const loaded = work.record(kind.kind, id)
          // The rules compare it with the others.
          if (loaded !== null) needs.toLoadNestedIn(kind, String(loaded[kind.parent.member]))
          needMore?.(needs, input, id)
        },
        decide(draft) {
          const before = draft.record(kind, id)
          if (before === null) return missing(words, text)
          const changed = alter === undefined ? draft.alter(kind, before, input) : alter(draft, before, input, kind)
          return changed instanceof Refusal ? changed : receipt(changed, draft)
        },
      })
    },

    async remove(administration, { organizationId, id }, kinds) {
      return removeSetting(administration, { organizationId, kind: setting, id }, kinds)
    },
  }
  const setting = Object.assign(kind, { administered, distinction: declaration, removal: declaration })
  return setting
}

/** The kind of records for a declaration; its names are derived from the name of the kind. */
function recordOf<const F extends Fields>(declaration: SettingDeclaration<F, Fields | undefined, Named>): Nested {
  const { kind, fields, order, owner, listedWhen, table = `${kind}s` } = declaration
  const title = camel(`_${kind}`)
  return defineNested({
    kind,
    plural: `${kind.replaceAll('_', '-')}s`,
    title,
    table,
    parent: owner,
    parentMember: `${owner.kind}Id`,
    part: `${camel(kind)}s`,
    most: null,
    ...(listedWhen === undefined ? {} : { listedWhen }),
    order: { field: order, direction: 'asc' },
    fields,
    rules: { settle: (next, context) => settleAmong(declaration, next, context) },
  })
}

function camel(snake: string): string {
  return snake.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase())
}

interface SettingReference {
  readonly member: string
  readonly of: Nested
  readonly id: string
  /** The reference in the input: the id, or a name. */
  readonly text: string
}

async function referencesIn(
  database: Database,
  refersTo: Readonly<Record<string, Nested>>,
  input: JsonObject,
  organizationId: string,
): Promise<SettingReference[]> {
  const found = Object.entries(refersTo).flatMap(([member, of]) => {
    const { [member]: text } = input
    return typeof text === 'string' ? [{ member, of, text }] : []
  })
  return Promise.all(
    found.map(async each => ({ ...each, id: await idNamed(database, each.of, each.text, organizationId) })),
  )
}

function isNested(kind: Resource): kind is Nested {
  return kind.parent !== null
}

/** The members that are present. */
export function given(input: object): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
}
