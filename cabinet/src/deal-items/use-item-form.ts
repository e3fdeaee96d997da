import { useEffect, useState } from 'react'
import { Failure, request } from '../api/index.ts'
import { showToast } from '../components/index.ts'
import { changed, type Values, valuesOf } from '../records/changes.rules.ts'
import { type Difference, differences, resolved, type Side } from '../records/conflict.rules.ts'
import { type DraftKey, Drafts } from '../records/drafts.ts'
import type { Json } from '../records/record.ts'
import { useMe } from '../shell/use-me.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { bodyOfItem, type DealItem, fieldsOfItem, newItem, pathOfItems, readItems } from './deal-item.ts'

/** A line under edit: what was seen and typed, and how the save fares. */
interface ItemForm {
  /** Tells one opening of the form from another. */
  readonly id: string
  /** Null for a new line. */
  readonly item: DealItem | null
  readonly saw: Values
  readonly mine: Values
  readonly key: string
  /** Whether the values were typed before the form was opened. */
  readonly isDraft: boolean
  readonly isSaving: boolean
  readonly failure: Failure | null
  readonly conflict: { readonly theirs: DealItem; readonly differences: readonly Difference[] } | null
}

const drafts = new Drafts(sessionStorage)
const idle = { isSaving: false, failure: null, conflict: null }

/**
 * The form of one line of a deal. What is typed stays until it is saved or given up; what others changed meanwhile is compared. While it
 * is saved it neither changes nor closes.
 */
export function useItemForm(deal: string, onSaved: () => void) {
  const { organization, showing } = useWorkspace()
  const { user } = useMe()
  const owner = { user: user.id, organization: organization.id }
  const draftOf = (item: DealItem | null): DraftKey => ({ kind: 'deals', id: deal, part: `item ${item?.id ?? 'new'}` })
  const [form, setForm] = useState<ItemForm | null>(null)
  const open = (item: DealItem | null) => {
    const draft = drafts.find(owner, draftOf(item))
    const { saw, mine } = draft ?? begun(item)
    setForm({
      id: crypto.randomUUID(),
      // What was typed goes out from the version that the person saw then.
      item: item === null ? null : { ...item, version: draft?.version ?? item.version },
      saw,
      mine,
      key: draft?.submission?.key ?? crypto.randomUUID(),
      isDraft: draft !== undefined,
      ...idle,
    })
  }
  const isTyped = ({ item, saw, mine }: ItemForm) => changed(item === null ? newItem : saw, mine).size > 0
  useEffect(() => {
    if (form === null || !isTyped(form)) return
    const { item, saw, mine, key } = form
    const submission = { key, body: '', mine }
    const version = item?.version ?? null
    drafts.keep(owner, { ...draftOf(item), name: null, version, saw, mine, page: null, submission })
  }, [form])
  /** Closes the form and gives up what was typed, unless its save is under way. */
  const close = () => {
    if (form === null || form.isSaving) return
    drafts.forget(owner, draftOf(form.item))
    setForm(null)
  }

  const save = async (current: ItemForm) => {
    const { item, saw, mine, key } = current
    const next = (turn: (form: ItemForm) => ItemForm | null) =>
      setForm(now => (now?.id === current.id ? turn(now) : now))
    const body = bodyOfItem(item === null ? filled(mine) : changed(saw, mine))
    if (item !== null && Object.keys(body).length === 0) return close()
    next(() => ({ ...current, ...idle, isSaving: true }))
    const path = pathOfItems(organization.id, deal)
    try {
      if (item === null) await request('POST', path, { body, key })
      else await request('PATCH', `${path}/${item.id}`, { body: { ...body, expectedVersion: item.version }, key })
      drafts.forget(owner, draftOf(item))
      next(() => null)
      onSaved()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const theirs = error.code === 'version_conflict' ? await readAgain(item) : undefined
      // The same key tells what became of a request that was not answered.
      const failed = { ...idle, key: error.status === 0 ? key : crypto.randomUUID() }
      if (theirs === undefined) return next(now => ({ ...now, ...failed, failure: error }))
      const conflict = { theirs, differences: differences(saw, valuesOf(theirs, fieldsOfItem), mine) }
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
    const saw = valuesOf(theirs, fieldsOfItem)
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
    close,
    /** Closes the form and keeps what was typed for the next time, unless its save is under way. */
    leave() {
      if (form === null || !isTyped(form)) return close()
      if (form.isSaving) return
      setForm(null)
      showToast({ text: showing.words.t('Kept as a draft, not saved.') })
    },
  }
}

export type ItemEditing = ReturnType<typeof useItemForm>

function begun(item: DealItem | null): Pick<ItemForm, 'saw' | 'mine'> {
  if (item === null) return { saw: new Map(), mine: newItem }
  const saw = valuesOf(item, fieldsOfItem)
  return { saw, mine: saw }
}

function filled(mine: Values): Values {
  return new Map([...mine].filter(([, value]) => value !== null && value !== ''))
}
