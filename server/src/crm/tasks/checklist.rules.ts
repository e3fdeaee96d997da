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
  refusesNothing: true as const,
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

/** One change of a nested record of a checklist or task. */
interface Step {
  readonly resource: { readonly kind: string }
  readonly before: Item | null
  readonly after: Item | null
}

/** The rules of a checklist for changes of its items (contract section 6.8). */
export const checklistRules = {
  /**
   * The version of a checklist counts changes of its set of items and of their order. The contents of items have
   * versions of their own.
   */
  reflect<State extends { readonly itemSetVersion: number }>(state: State, steps: readonly Step[]): State {
    const moves = itemsIn(steps).some(({ before, after }) => before?.position !== after?.position)
    return moves ? { ...state, itemSetVersion: state.itemSetVersion + 1 } : state
  },
}

interface Progress {
  readonly checklistItemsTotal: number
  readonly checklistItemsDone: number
}

/** The task after changes of its checklists: the number of items, and of those that are done. */
export function reflectChecklists<State extends Progress>(state: State, steps: readonly Step[]): State {
  const growth = (count: (item: Item | null) => number) =>
    itemsIn(steps).reduce((sum, { before, after }) => sum + count(after) - count(before), 0)
  return {
    ...state,
    checklistItemsTotal: state.checklistItemsTotal + growth(item => Number(item !== null)),
    checklistItemsDone: state.checklistItemsDone + growth(item => Number(item?.isDone === true)),
  }
}

function itemsIn(steps: readonly Step[]): Step[] {
  return steps.filter(({ resource }) => resource.kind === 'checklist_item')
}
