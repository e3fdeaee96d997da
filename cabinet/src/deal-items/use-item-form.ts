import { useState } from 'react'
import { Failure, request } from '../api/index.ts'
import { changed, type Values, valuesOf } from '../records/changes.rules.ts'
import { type Difference, differences, resolved, type Side } from '../records/conflict.rules.ts'
import type { Json } from '../records/record.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { bodyOfItem, type DealItem, itemFields, newItem, pathOfItems, readItems } from './deal-item.ts'

/** A line under edit: what was seen and typed, and how the save fares. */
interface ItemForm {
  /** Tells one opening of the form from another. */
  readonly id: string
  /** Null for a new line. */
  readonly item: DealItem | null
  readonly saw: Values
  readonly mine: Values
  readonly key: string
  readonly isSaving: boolean
  readonly failure: Failure | null
  readonly conflict: { readonly theirs: DealItem; readonly differences: readonly Difference[] } | null
}

const idle = { isSaving: false, failure: null, conflict: null }

/**
 * The form of one line of a deal. What is typed stays until it is saved or given up; what others changed meanwhile is compared. While it
 * is saved it neither changes nor closes.
 */
export function useItemForm(deal: string, onSaved: () => void) {
  const { organization } = useWorkspace()
  const [form, setForm] = useState<ItemForm | null>(null)
  const open = (item: DealItem | null) => {
    const saw: Values = item === null ? new Map() : valuesOf(item, itemFields)
    setForm({
      id: crypto.randomUUID(),
      item,
      saw,
      mine: item === null ? newItem : saw,
      key: crypto.randomUUID(),
      ...idle,
    })
  }

  const save = async (current: ItemForm) => {
    const { item, saw, mine, key } = current
    const next = (turn: (form: ItemForm) => ItemForm | null) =>
      setForm(now => (now?.id === current.id ? turn(now) : now))
    const body = bodyOfItem(item === null ? filled(mine) : changed(saw, mine))
    if (item !== null && Object.keys(body).length === 0) return next(() => null)
    next(() => ({ ...current, ...idle, isSaving: true }))
    const path = pathOfItems(organization.id, deal)
    try {
      if (item === null) await request('POST', path, { body, key })
      else await request('PATCH', `${path}/${item.id}`, { body: { ...body, expectedVersion: item.version }, key })
      next(() => null)
      onSaved()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const theirs = error.code === 'version_conflict' ? await readAgain(item) : undefined
      // The same key tells what became of a request that was not answered.
      const failed = { ...idle, key: error.status === 0 ? key : crypto.randomUUID() }
      if (theirs === undefined) return next(now => ({ ...now, ...failed, failure: error }))
      const conflict = { theirs, differences: differences(saw, valuesOf(theirs, itemFields), mine) }
      next(now => ({ ...now, ...failed, conflict }))
    }
  }
  const readAgain = async (item: DealItem | null) => {
    const items = await readItems(organization.id, deal).catch(() => [])
    return items.find(({ id }) => id === item?.id)
  }

  /** Saves on top of what others wrote. */
  const resolve = (decisions: ReadonlyMap<string, Side>) => {
    if (form?.conflict == null || form.isSaving) return
    const { theirs, differences: all } = form.conflict
    const saw = valuesOf(theirs, itemFields)
    void save({ ...form, item: theirs, saw, mine: new Map([...saw, ...resolved(all, decisions)]) })
  }

  return {
    form,
    open,
    resolve,
    type: (path: string, value: Json) =>
      setForm(now =>
        now === null || now.isSaving
          ? now
          : { ...now, mine: new Map([...now.mine, [path, value]]), key: crypto.randomUUID() },
      ),
    save: () => (form === null || form.isSaving ? undefined : void save(form)),
    backToForm: () => setForm(now => (now === null || now.isSaving ? now : { ...now, conflict: null })),
    /** Closes the form, unless its save is under way. */
    close: () => setForm(now => (now?.isSaving === true ? now : null)),
  }
}

export type ItemEditing = ReturnType<typeof useItemForm>

function filled(mine: Values): Values {
  return new Map([...mine].filter(([, value]) => value !== null && value !== ''))
}
