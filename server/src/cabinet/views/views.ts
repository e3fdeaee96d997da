import {
  type Caller,
  cabinetPath,
  type Declared,
  defineOperation,
  expectedVersionParameter,
  Lookup,
  type Mutation,
  mutate,
  notFound,
  type Operation,
  type OwnRefusal,
  Refusal,
  type Request,
  type Resource,
  refuseMissingScopes,
  type Services,
  versionConflict,
  wordParameter,
} from '../../kernel/index.ts'
import { isObject, type JsonObject, newId, sameJson, violates } from '../../kernel/schema/index.ts'
import { actionRow, type RowChange } from '../../kernel/write/index.ts'
import {
  isSeen,
  ownerOf,
  projectViews,
  scopesOfView,
  shownView,
  toView,
  type View,
  type ViewDefinition,
} from './view.ts'
import { viewBounds } from './view-bounds.ts'
import { newViewBody, refuseDefinition, viewPatchBody, viewSchema } from './view-input.ts'
import { lockView, selectRoom, selectViews, viewTable } from './views.sql.ts'

const missing: OwnRefusal = ['not_found', 'There is no such view, or it is not shared.']
const stale: OwnRefusal = ['version_conflict', 'The view no longer has the version in `expectedVersion`.']

/** The right to change what others share. */
const managesViews = 'settings_manage'

/** The views of lists: `GET` and `POST …/views`, `PATCH` and `DELETE …/views/{id}`. */
export function viewOperations({ resources }: Declared): Operation[] {
  const listed = resources.filter(({ isSynchronized }) => isSynchronized)
  const kinds = listed.map(({ plural }) => plural)
  const path = cabinetPath('/views')
  const common = { scopes: [], answer: { data: viewSchema(kinds) }, project: projectViews } as const
  return [
    defineOperation({
      ...common,
      id: 'views.list',
      method: 'GET',
      path,
      summary: 'List the views of lists',
      description: `Own and shared ones, by name, all at once: an organization can have ${viewBounds.organizationViews.most}.`,
      query: { kind: wordParameter('ViewKind', kinds, 'Views of this kind of records') },
      answer: { data: { type: 'array', items: viewSchema(kinds) } },
      async execute({ caller, reader, query }, { database }) {
        const rows = await database.query(selectViews, [caller.organization.id], reader)
        const views = rows.map(toView).filter(view => isSeen(view, listed, caller))
        const asked = views.filter(({ kind }) => query.kind === undefined || kind === query.kind)
        return { status: 200, data: asked.map(shownView), meta: {} }
      },
    }),
    defineOperation({
      ...common,
      id: 'views.create',
      method: 'POST',
      path,
      summary: 'Keep a view of a list',
      success: [201],
      body: newViewBody(kinds),
      refuses: [['unprocessable', `There are ${viewBounds.organizationViews.most} views already.`]],
      execute: (request, services) => createView(listed, request, services),
    }),
    defineOperation({
      ...common,
      id: 'views.update',
      method: 'PATCH',
      path: `${path}/{id}`,
      summary: 'Change a view of a list',
      description: 'An own one, or with the right to manage settings a shared one.',
      body: viewPatchBody,
      refuses: [missing, stale],
      execute: (request, services) => updateView(listed, request, services),
    }),
    defineOperation({
      ...common,
      id: 'views.remove',
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Remove a view of a list',
      query: { expectedVersion: { ...expectedVersionParameter(), required: true } },
      refuses: [missing, stale],
      execute: (request, services) => removeView(listed, request, services),
    }),
  ]
}

function createView(listed: readonly Resource[], request: Request, services: Services) {
  const { caller } = request
  const { kind, name, shared = false, definition } = bodyOf(request)
  const resource = listed.find(({ plural }) => plural === kind)
  if (resource === undefined) throw new Error(`views of ${String(kind)} were not refused`)
  const asked = { name: String(name).trim(), shared: shared === true, definition: definitionOf(definition) }
  const refusal = refuseView(resource, asked, caller)
  if (refusal !== null) return Promise.resolve(refusal)
  const room = Lookup.rows(selectRoom, [])
  const mutation: Mutation<View> = {
    needs(needs) {
      needs.toAdd({ kind: 'view' })
      needs.toLoad(room)
    },
    decide(work, write) {
      const views = work.read(room)
      const left = views.length < viewBounds.organizationViews.most ? [] : views.filter(({ isLeft }) => isLeft === true)
      if (views.length - left.length >= viewBounds.organizationViews.most)
        return violates(
          '',
          'most',
          `There are ${viewBounds.organizationViews.most} views already, the most there can be`,
        )
      const head = { id: newId(), version: 1, createdAt: write.now, updatedAt: write.now }
      const view: View = { ...head, owner: ownerOf(caller), kind: resource.plural, ...asked }
      const removed = left.map(({ id }): RowChange => ({ table: viewTable, operation: 'delete', row: { id } }))
      return {
        result: view,
        rows: [...removed, { table: viewTable, operation: 'insert', row: rowOf(view) }, noted(view, 'created')],
      }

      function noted({ id, version }: View, verb: string): RowChange {
        return actionRow({ resourceType: 'view', resourceId: id, action: `view.${verb}`, version }, write)
      }
    },
  }
  return mutate(mutation, request.actor, services, view => ({ status: 201, data: shownView(view), tellsOf: [view.id] }))
}

function updateView(listed: readonly Resource[], request: Request, services: Services) {
  const { name, shared, definition } = bodyOf(request)
  return changeView(listed, request, services, (view, resource) => {
    const asked = {
      name: typeof name === 'string' ? name.trim() : view.name,
      shared: typeof shared === 'boolean' ? shared : view.shared,
      definition: definition === undefined ? view.definition : definitionOf(definition),
    }
    return refuseView(resource, asked, request.caller) ?? { ...view, ...asked }
  })
}

function removeView(listed: readonly Resource[], request: Request, services: Services) {
  return changeView(listed, request, services, () => null)
}

/** Changes a view under its lock; `change` returns the next state, null to remove it. */
function changeView(
  listed: readonly Resource[],
  request: Request,
  services: Services,
  change: (view: View, resource: Resource) => View | null | Refusal,
) {
  const { caller, path, query } = request
  const expected = bodyOf(request).expectedVersion ?? query.expectedVersion
  const locked = Lookup.row(lockView, [path.id])
  const mutation: Mutation<View | null> = {
    needs: needs => needs.toLoad(locked),
    decide(work, write) {
      const row = work.read(locked)
      const view = row === null ? null : toView(row)
      const resource = listed.find(({ plural }) => plural === view?.kind)
      if (view === null || resource === undefined || !isSeen(view, listed, caller)) return notFound()
      const forbidden = view.owner === ownerOf(caller) ? null : refuseMissingScopes([managesViews], caller)
      if (forbidden !== null) return forbidden
      if (view.version !== expected) return versionConflict(view.version)
      const changed = change(view, resource)
      if (changed instanceof Refusal) return changed
      const { id, version } = view
      const noted = (action: string) => actionRow({ resourceType: 'view', resourceId: id, action, version }, write)
      if (changed === null) {
        const removed: RowChange = { table: viewTable, operation: 'delete', row: { id } }
        return { result: null, rows: [removed, noted('view.deleted')] }
      }
      if (sameJson(shownView(changed), shownView(view))) return { result: view }
      const next = { ...changed, version: version + 1, updatedAt: write.now }
      return {
        result: next,
        rows: [{ table: viewTable, operation: 'update', row: rowOf(next) }, noted('view.updated')],
      }
    },
  }
  const tellsOf = [String(path.id)]
  return mutate(mutation, request.actor, services, view =>
    view === null ? { status: 200, data: { ok: true }, tellsOf } : { status: 200, data: shownView(view), tellsOf },
  )
}

/** Refuses filters that the list would refuse, or that the caller may not use, and the sharing by who changes nothing else. */
function refuseView(
  resource: Resource,
  { shared, definition }: Pick<View, 'shared' | 'definition'>,
  caller: Caller,
): Refusal | null {
  const needed = [...scopesOfView(resource, definition), ...(shared ? [resource.scopes.write] : [])]
  return refuseMissingScopes(needed, caller) ?? refuseDefinition(resource, definition)
}

function rowOf({ createdAt, updatedAt, ...view }: View): Record<string, unknown> {
  return { ...view, created_at: createdAt, updated_at: updatedAt }
}

function definitionOf(value: unknown): ViewDefinition {
  const { filters, ...others }: JsonObject = isObject(value) ? value : {}
  return { ...others, filters: isObject(filters) ? filters : {} }
}

function bodyOf({ body }: Request): JsonObject {
  return isObject(body) ? body : {}
}
