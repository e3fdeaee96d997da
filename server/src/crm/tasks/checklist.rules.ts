interface ItemState {
  readonly isDone: boolean
  readonly doneAt: string | null
  readonly doneByUuid: string | null
}

interface ItemContext<State> {
  readonly previous: State | null
  readonly write: { readonly now: string; readonly author: { readonly uuid: string | null } }
}

/** What holds for items of checklists beyond their fields (contract section 6.8). */
export const checklistItemRules = {
  /** Done sets when and by whom, and keeps it; not done clears both. */
  settle<State extends ItemState>(next: State, { previous, write }: ItemContext<State>): State {
    if (!next.isDone) return { ...next, doneAt: null, doneByUuid: null }
    return previous?.isDone === true ? next : { ...next, doneAt: write.now, doneByUuid: write.author.uuid }
  },
}

type Item = Readonly<Record<string, unknown>>

/** One change of what belongs to a checklist or to a task. */
interface Step {
  readonly resource: { readonly kind: string }
  readonly before: Item | null
  readonly after: Item | null
}

/** What changes of its items make of a checklist (contract section 6.8). */
export const checklistRules = {
  /** Its version counts which items it has and in which order; what they say counts theirs. */
  reflect<State extends { readonly itemSetVersion: number }>(state: State, steps: readonly Step[]): State {
    const moves = itemsIn(steps).some(({ before, after }) => before?.position !== after?.position)
    return moves ? { ...state, itemSetVersion: state.itemSetVersion + 1 } : state
  },
}

interface Progress {
  readonly checklistItemsTotal: number
  readonly checklistItemsDone: number
}

/** The task after changes of its checklists: how many items there are, and how many are done. */
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
