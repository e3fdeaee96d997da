interface ItemState {
  readonly isDone: boolean
  readonly doneAt: string | null
  readonly doneByUuid: string | null
}

interface ItemContext<State> {
  readonly previous: State | null
  readonly write: { readonly now: string; readonly author: { readonly uuid: string | null } }
}

/** Rules for items of checklists beyond those of their fields (contract section 6.8). */
export const checklistItemRules = {
  /**
   * When an item becomes done, time and author are set, and later changes keep them. When it is no longer done, both
   * are cleared.
   */
  settle<State extends ItemState>(next: State, { previous, write }: ItemContext<State>): State {
    if (!next.isDone) return { ...next, doneAt: null, doneByUuid: null }
    return previous?.isDone === true ? next : { ...next, doneAt: write.now, doneByUuid: write.author.uuid }
  },
}

type Item = Readonly<Record<string, unknown>>

/** One change of an item of a checklist, or of a part of a task. */
interface Step {
  readonly resource: { readonly kind: string }
  readonly before: Item | null
  readonly after: Item | null
}

/** The rules of a checklist for changes of its items (contract section 6.8). */
export const checklistRules = {
  /** The version of a checklist counts changes of its set of items and of their order. The items themselves have versions of their own. */
  reflect<State extends { readonly itemSetVersion: number }>(state: State, steps: readonly Step[]): State {
    const moves = itemsIn(steps).some(({ before, after }) => before?.position !== after?.position)
    return moves ? { ...state, itemSetVersion: state.itemSetVersion + 1 } : state
  },
}

interface Counted {
  readonly filesCount: number
  readonly checklistItemsTotal: number
  readonly checklistItemsDone: number
}

/** The task after changes of its checklists and files: the number of items, of those that are done, and of files. */
export function reflectChecklists<State extends Counted>(state: State, steps: readonly Step[]): State {
  const growth = (changed: readonly Step[], count: (part: Item | null) => number) =>
    changed.reduce((sum, { before, after }) => sum + count(after) - count(before), 0)
  const [items, files] = [itemsIn(steps), steps.filter(({ resource }) => resource.kind === 'task_file')]
  const one = (part: Item | null) => Number(part !== null)
  return {
    ...state,
    checklistItemsTotal: state.checklistItemsTotal + growth(items, one),
    checklistItemsDone: state.checklistItemsDone + growth(items, item => Number(item?.isDone === true)),
    filesCount: state.filesCount + growth(files, one),
  }
}

function itemsIn(steps: readonly Step[]): Step[] {
  return steps.filter(({ resource }) => resource.kind === 'checklist_item')
}
