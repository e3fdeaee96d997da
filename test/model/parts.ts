import type { Action, Effect } from './action.ts'
import type { Part, World } from './world.ts'

/** Items have whole prices, so that every currency has the same sums. */
function itemsOf(world: World, dealId: string): { itemsCount: number; itemsTotal: string } {
  const items = [...world.parts('items', dealId).values()]
  const total = items.reduce((sum, { quantity, price }) => sum + Number(quantity) * Number(price), 0)
  return { itemsCount: items.length, itemsTotal: `${total}.00` }
}

function progressOf(world: World, taskId: string): { checklistProgress: { total: number; done: number } } {
  const items = [...world.parts('checklists', taskId).values()].filter(({ checklistId }) => checklistId !== undefined)
  return { checklistProgress: { total: items.length, done: items.filter(({ isDone }) => isDone === true).length } }
}

const owner = ({ facts }: Action) => String(facts.owner)
const part = ({ facts, data }: Action) => String(facts.part ?? data.id)

function changePart(world: World, name: Parameters<World['parts']>[0], action: Action, change: Part): void {
  const parts = world.parts(name, owner(action))
  parts.set(part(action), { ...parts.get(part(action)), ...change })
}

/** Puts a part where the request wants it among those beside it, and the new ones last; the answer has to say where that is. */
function placePart(world: World, name: Parameters<World['parts']>[0], action: Action): void {
  const parts = world.parts(name, owner(action))
  const id = part(action)
  const placed = parts.get(id) ?? {}
  const beside = [...parts].filter(([, { checklistId }]) => checklistId === placed.checklistId).map(([each]) => each)
  const others = beside.filter(each => each !== id)
  const { position } = action.body ?? {}
  const place = typeof position === 'number' ? Math.min(position, others.length) : beside.indexOf(id)
  if (action.data.position !== place) throw new Error(`it should have been in place ${place}`)
  const behind = others[place]
  const rest = [...parts].filter(([each]) => each !== id)
  const index = rest.findIndex(([each]) => each === behind)
  parts.clear()
  for (const [each, known] of rest.toSpliced(index === -1 ? rest.length : index, 0, [id, placed]))
    parts.set(each, known)
}

const items = (world: World, action: Action) => world.change(owner(action), itemsOf(world, owner(action)))
const progress = (world: World, action: Action) => world.change(owner(action), progressOf(world, owner(action)))

/** What changes of nested records do, by the name of the request. */
export const partEffects: Readonly<Record<string, Effect>> = {
  addItem(world, action) {
    changePart(world, 'items', action, action.body ?? {})
    placePart(world, 'items', action)
    items(world, action)
  },
  changeItem(world, action) {
    changePart(world, 'items', action, action.body ?? {})
    placePart(world, 'items', action)
    items(world, action)
  },
  removeItem(world, action) {
    world.parts('items', owner(action)).delete(part(action))
    items(world, action)
  },
  link(world, action) {
    const links = world.parts('links', owner(action))
    links.clear()
    const contactIds = Array.isArray(action.facts.contactIds) ? action.facts.contactIds : []
    for (const id of contactIds) links.set(String(id), {})
    world.change(owner(action), {})
  },
  addChecklist(world, action) {
    changePart(world, 'checklists', action, {})
    placePart(world, 'checklists', action)
    progress(world, action)
  },
  removeChecklist(world, action) {
    const parts = world.parts('checklists', owner(action))
    for (const [id, each] of parts) if (id === part(action) || each.checklistId === part(action)) parts.delete(id)
    progress(world, action)
  },
  addStep(world, action) {
    changePart(world, 'checklists', action, { checklistId: action.facts.checklistId, isDone: false })
    placePart(world, 'checklists', action)
    progress(world, action)
  },
  changeStep(world, action) {
    changePart(world, 'checklists', action, { isDone: action.body?.isDone })
    placePart(world, 'checklists', action)
    progress(world, action)
  },
  moveChecklist(world, action) {
    placePart(world, 'checklists', action)
    progress(world, action)
  },
}
