import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Failure, request, sentenceOf } from '../api/index.ts'
import { showToast } from '../components/index.ts'
import { replaceRows } from '../lists/use-rows.ts'
import { changed, type Values, valuesOf } from '../records/changes.rules.ts'
import { type Difference, differences, resolved, type Side } from '../records/conflict.rules.ts'
import { Drafts, draftName } from '../records/drafts.ts'
import type { FieldDefinition } from '../records/field.ts'
import type { Kind } from '../records/kinds.ts'
import { nameOfRecord } from '../records/labels.ts'
import type { Json, RecordState } from '../records/record.ts'
import { type HistoryEntry, readHistory } from '../records/record-requests.ts'
import { useMe } from '../shell/use-me.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { allFields } from './custom-fields.ts'
import { type Submission, send, textOfSubmission } from './send.ts'
import { remember } from './undo-stack.ts'

/** A record under edit: what the editor saw and typed, and how the save fares. */
export interface Edit {
  readonly kind: Kind
  readonly id: string | null
  readonly name: string | null
  readonly version: number | null
  readonly saw: Values
  readonly mine: Values
  /** Whether the form is open; an edit of a cell or an undo has none. */
  readonly hasForm: boolean
  readonly isDraft: boolean
  readonly submission?: { readonly key: string; readonly body: string } | undefined
  readonly isSaving: boolean
  readonly isWaiting: boolean
  readonly failure: Failure | null
  readonly conflict: Conflict | null
}

export interface Conflict {
  readonly theirs: RecordState
  readonly differences: readonly Difference[]
  readonly meanwhile: readonly HistoryEntry[]
}

const drafts = new Drafts(sessionStorage)
const idle = { isSaving: false, isWaiting: false, failure: null, conflict: null }

/** How a page creates and changes records: one edit at a time, by a form, in a cell, or to take something back. */
export function useEditing(onSaved: (kind: Kind, record: RecordState, isNew: boolean) => void) {
  const workspace = useWorkspace()
  const { organization, directories, showing } = workspace
  const { user } = useMe()
  const client = useQueryClient()
  const [edit, setEdit] = useState<Edit | null>(null)
  const giveUp = useRef(new AbortController())
  const fieldsFor = (kind: Kind): readonly FieldDefinition[] => allFields(kind, directories)

  const keep = (next: Edit) => {
    setEdit(next)
    if (next.hasForm) drafts.keep(draftName(user.id, organization.id, next.kind, next.id), next)
  }
  const close = () => {
    giveUp.current.abort()
    if (edit !== null) drafts.forget(draftName(user.id, organization.id, edit.kind, edit.id))
    setEdit(null)
  }

  /** Closes the form, and keeps what was typed for the next time, with the key of a submission that the server has not answered. */
  const leave = () => {
    if (edit === null || changed(edit.saw, edit.mine).size === 0) return close()
    giveUp.current.abort()
    setEdit(null)
    showToast({ text: showing.words.t('Kept as a draft, not saved.') })
  }

  const finish = (done: Edit, saved: RecordState) => {
    drafts.forget(draftName(user.id, organization.id, done.kind, done.id))
    setEdit(null)
    const name = nameOfRecord(done.kind, saved)
    if (done.id !== null) {
      const after = changed(done.saw, done.mine)
      const before = new Map([...after.keys()].map(path => [path, done.saw.get(path) ?? null]))
      remember({
        organization: organization.id,
        kind: done.kind,
        id: done.id,
        name,
        version: saved.version,
        before,
        after,
      })
    }
    replaceRows(client, organization.id, done.kind, [saved])
    showToast({ text: showing.words.t('Saved: {name}', { name }) })
    onSaved(done.kind, saved, done.id === null)
  }

  const compare = async (current: Edit, id: string): Promise<Edit> => {
    const [theirs, history] = await Promise.all([
      request<RecordState>('GET', `/o/${organization.id}/crm/${current.kind}/${id}`),
      readHistory(organization.id, current.kind, id, null).catch(() => ({ data: [] })),
    ])
    const after = current.version ?? 0
    // What the server computes is no conflict.
    const typable = new Set(fieldsFor(current.kind).flatMap(({ path, form }) => (form === undefined ? [] : [path])))
    const typed = (values: Values): Values => new Map([...values].filter(([path]) => typable.has(path)))
    return {
      ...current,
      ...idle,
      submission: undefined,
      conflict: {
        theirs,
        differences: differences(
          typed(current.saw),
          typed(valuesOf(theirs, fieldsFor(current.kind))),
          typed(current.mine),
        ),
        meanwhile: history.data.filter(({ versionAfter }) => versionAfter !== null && versionAfter > after),
      },
    }
  }

  /** Sends an edit. A conflict is shown, or saved at once where both sides changed different fields only by `resolve`. */
  const save = async (current: Edit) => {
    const { kind, id, version } = current
    const values = id === null ? filled(current.mine) : changed(current.saw, current.mine)
    if (id !== null && values.size === 0) return close()
    const submission: Submission = { organization: organization.id, kind, id, version, values, fields: fieldsFor(kind) }
    const body = textOfSubmission(submission)
    const key = current.submission?.body === body ? current.submission.key : crypto.randomUUID()
    giveUp.current = new AbortController()
    const { signal } = giveUp.current
    const sent: Edit = { ...current, ...idle, conflict: current.conflict, submission: { key, body }, isSaving: true }
    keep(sent)
    const onWaiting = (isWaiting: boolean) => setEdit(now => (now === null ? null : { ...now, isWaiting }))
    try {
      const saved = await send(submission, { key, body }, { signal, onWaiting })
      if (saved !== undefined) finish(current, saved)
    } catch (error) {
      const failed = { ...sent, ...idle }
      if (error instanceof Failure && error.code === 'version_conflict' && id !== null) {
        keep(await compare(failed, id).catch(() => ({ ...failed, failure: error })))
      } else if (error instanceof Failure) {
        if (failed.hasForm) keep({ ...failed, failure: error })
        else setEdit(null)
        if (!failed.hasForm) showToast({ text: sentenceOf(error, showing.words) })
      } else throw error
    }
  }

  /** Saves on top of what others wrote. */
  const resolve = (current: Edit, decisions: ReadonlyMap<string, Side>) => {
    const { conflict } = current
    if (conflict === null) return
    const saw = valuesOf(conflict.theirs, fieldsFor(current.kind))
    const mine = new Map([...saw, ...resolved(conflict.differences, decisions)])
    void save({ ...current, version: conflict.theirs.version, saw, mine })
  }

  return {
    edit,
    openNew: (kind: Kind, presets: Values = new Map()) => {
      const draft = drafts.find(draftName(user.id, organization.id, kind, null))
      const mine = draft?.mine ?? new Map([...initial(kind), ...presets])
      setEdit({
        kind,
        id: null,
        name: null,
        version: null,
        saw: new Map(),
        mine,
        hasForm: true,
        isDraft: draft !== undefined,
        submission: draft?.submission,
        ...idle,
      })
    },
    openEdit: (kind: Kind, record: RecordState) => {
      const draft = drafts.find(draftName(user.id, organization.id, kind, record.id))
      const saw = draft?.saw ?? valuesOf(record, fieldsFor(kind))
      setEdit({
        kind,
        id: record.id,
        name: nameOfRecord(kind, record),
        version: draft?.version ?? record.version,
        saw,
        mine: draft?.mine ?? saw,
        hasForm: true,
        isDraft: draft !== undefined,
        submission: draft?.submission,
        ...idle,
      })
    },
    /** Changes some values without a form. `saw` are those that the person looked at. */
    change: (
      kind: Kind,
      record: RecordState,
      values: Values,
      saw: Values = valuesOf(record, fieldsFor(kind)),
      version = record.version,
    ) =>
      save({
        kind,
        id: record.id,
        name: nameOfRecord(kind, record),
        version,
        saw,
        mine: new Map([...saw, ...values]),
        hasForm: false,
        isDraft: false,
        ...idle,
      }),
    hasDraft: (kind: Kind, id: string | null) =>
      drafts.find(draftName(user.id, organization.id, kind, id)) !== undefined,
    type: (path: string, value: Json) => {
      if (edit !== null) keep({ ...edit, mine: new Map([...edit.mine, [path, value]]), failure: edit.failure })
    },
    save: () => (edit === null ? undefined : void save(edit)),
    resolve: (decisions: ReadonlyMap<string, Side>) => (edit === null ? undefined : resolve(edit, decisions)),
    backToForm: () => (edit === null ? undefined : keep({ ...edit, hasForm: true, conflict: null })),
    close,
    leave,
  }
}

export type Editing = ReturnType<typeof useEditing>

/** The values that a new record begins with. */
function initial(kind: Kind): Values {
  return kind === 'tasks'
    ? new Map([
        ['type', 'todo'],
        ['status', 'todo'],
        ['priority', 'medium'],
      ])
    : new Map()
}

/** What is sent of a new record: what was typed. */
function filled(mine: Values): Values {
  return new Map(
    [...mine].filter(([, value]) => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)),
  )
}
