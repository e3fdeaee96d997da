import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Failure, leaveForSignIn, request, sentenceOf } from '../api/index.ts'
import { showToast } from '../components/index.ts'
import { replaceRows } from '../lists/use-rows.ts'
import { changed, type Values, valuesOf } from '../records/changes.rules.ts'
import { differences, resolved, type Side } from '../records/conflict.rules.ts'
import { Drafts } from '../records/drafts.ts'
import type { FieldDefinition } from '../records/field.ts'
import type { Kind } from '../records/kinds.ts'
import { nameOfRecord } from '../records/labels.ts'
import type { Json, RecordState } from '../records/record.ts'
import { readHistory } from '../records/record-requests.ts'
import { useMe } from '../shell/use-me.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { allFields } from './custom-fields.ts'
import { beginEdit, type Edit, type EditOrigin, editOfDraft, idle, leftOver, partOfPresets } from './edit.ts'
import { type Submission, send, textOfSubmission } from './send.ts'
import { turnsOfTab, versionsOfTab } from './turns.ts'
import { remember } from './undo-stack.ts'

const drafts = new Drafts(sessionStorage)

/** Waits until the saves under way in this tab are answered. */
export const savesAnswered = (): Promise<void> => turnsOfTab.settled()

/**
 * How a page creates and changes records: by a form, in a cell, or to take something back. One edit at a time is in front of the person,
 * as a form or a conflict; cells are saved behind it, those of one record one after another.
 */
export function useEditing(onSaved: (kind: Kind, record: RecordState, isNew: boolean) => void) {
  const { organization, directories, showing } = useWorkspace()
  const { user } = useMe()
  const client = useQueryClient()
  const [edit, setEdit] = useState<Edit | null>(null)
  /** What is in front, also before it is drawn. */
  const front = useRef<Edit | null>(null)
  /** What comes to the front when it is free. */
  const next = useRef<(() => void)[]>([])
  const isLeft = useRef(false)
  useEffect(() => {
    isLeft.current = false
    return () => {
      isLeft.current = true
    }
  }, [])
  const giveUp = useRef(new AbortController())
  const owner = { user: user.id, organization: organization.id }
  const fieldsFor = (kind: Kind): readonly FieldDefinition[] => allFields(kind, directories)
  const recordName = ({ kind, id }: Pick<Edit, 'kind' | 'id'>) =>
    `${organization.id}/${kind}/${id ?? crypto.randomUUID()}`

  const isInFront = ({ token }: Edit) => front.current?.token === token
  /** What was typed by now: a form can be typed in while it is saved. */
  const typedIn = (asked: Edit): Values => (isInFront(asked) ? (front.current?.mine ?? asked.mine) : asked.mine)
  const show = (shown: Edit | null) => {
    front.current = shown
    setEdit(shown)
    if (shown === null) next.current.shift()?.()
  }
  const store = (kept: Edit) => {
    const isTyped = kept.origin === 'form' || kept.origin === 'cell'
    if (isTyped) drafts.keep(owner, { ...kept, page: location.pathname })
  }
  const keep = (kept: Edit) => {
    store(kept)
    show(kept)
  }
  const close = () => {
    giveUp.current.abort()
    if (front.current !== null) drafts.forget(owner, front.current)
    show(null)
  }

  /** Keeps what was typed for the form of the record; what was typed in a cell joins what the form has. */
  const leaveDraft = (left: Edit) => {
    if (left.id === null || left.part === '') return drafts.keep(owner, { ...left, page: null })
    const form = drafts.find(owner, { ...left, part: '' })
    const mine = new Map([...(form ?? left).mine, ...changed(left.saw, left.mine)])
    drafts.forget(owner, left)
    drafts.keep(owner, { ...left, ...form, part: '', mine, page: null })
  }

  /** Closes the form, and keeps what was typed for the next time, with the submission that the server has not answered. */
  const leave = () => {
    const left = front.current
    if (left === null || changed(left.saw, left.mine).size === 0) return close()
    giveUp.current.abort()
    leaveDraft(left)
    show(null)
    showToast({ text: showing.words.t('Kept as a draft, not saved.') })
  }

  const finish = (sent: Edit, saved: RecordState) => {
    const { kind, id } = sent
    const name = nameOfRecord(kind, saved)
    drafts.forget(owner, sent)
    if (id !== null && sent.version !== null) versionsOfTab.note(recordName(sent), sent.version, saved.version)
    if (id !== null && sent.origin !== 'undo') {
      const after = changed(sent.saw, sent.mine)
      const before = new Map([...after.keys()].map(path => [path, sent.saw.get(path) ?? null]))
      remember({ organization: organization.id, kind, id, name, version: saved.version, before, after })
    }
    replaceRows(client, organization.id, kind, [saved])
    const now = isInFront(sent) ? front.current : null
    const rest = now === null ? undefined : leftOver(sent, now, saved, valuesOf(saved, fieldsFor(kind)), name)
    const { t } = showing.words
    showToast({
      text:
        rest === undefined
          ? t('Saved: {name}', { name })
          : t('Saved: {name}. What you typed meanwhile is not saved yet.', { name }),
    })
    if (rest !== undefined) keep(rest)
    else if (now !== null) show(null)
    onSaved(kind, saved, id === null)
  }

  /** What the person has to see of an edit: at once, or for one of a cell, when nothing else is in front. */
  const present = (shown: Edit, again: () => void) => {
    if (isInFront(shown) || front.current === null) return keep({ ...shown, mine: typedIn(shown) })
    store(shown)
    next.current.push(again)
  }

  const compare = async (refused: Edit, id: string): Promise<Edit> => {
    const [theirs, history] = await Promise.all([
      request<RecordState>('GET', `/o/${organization.id}/crm/${refused.kind}/${id}`),
      readHistory(organization.id, refused.kind, id, null).catch(() => ({ data: [] })),
    ])
    const after = refused.version ?? 0
    // What the server computes is no conflict.
    const fields = fieldsFor(refused.kind)
    const typable = new Set(fields.flatMap(({ path, form }) => (form === undefined ? [] : [path])))
    const typed = (values: Values): Values => new Map([...values].filter(([path]) => typable.has(path)))
    const mine = typedIn(refused)
    return {
      ...refused,
      conflict: {
        theirs,
        differences: differences(typed(refused.saw), typed(valuesOf(theirs, fields)), typed(mine)),
        meanwhile: history.data.filter(({ versionAfter }) => versionAfter !== null && versionAfter > after),
      },
    }
  }

  const refuse = async (sent: Edit, failure: Failure) => {
    const again = () => void save(sent)
    const refused: Edit = { ...sent, ...idle, submission: undefined }
    if (failure.code === 'not_signed_in') {
      // The draft is there again after the sign-in.
      store({ ...refused, mine: typedIn(refused) })
      return leaveForSignIn()
    }
    // Nobody looks at the page any more: what was typed waits for the form of the record.
    if (isLeft.current) {
      const isTyped = sent.origin === 'form' || sent.origin === 'cell'
      if (isTyped) leaveDraft({ ...refused, mine: typedIn(refused) })
      const kept = isTyped ? [showing.words.t('Kept as a draft, not saved.')] : []
      return showToast({ text: [sentenceOf(failure, showing.words), ...kept].join(' ') })
    }
    const shown: Edit = { ...refused, hasForm: true, failure }
    if (failure.code !== 'version_conflict' || sent.id === null) return present(shown, again)
    present(await compare(refused, sent.id).catch(() => shown), again)
  }

  const transmit = async (asked: Edit) => {
    const { kind, id, submission: pending } = asked
    const mine = pending?.mine ?? asked.mine
    const version = pending === undefined ? versionOf(asked) : asked.version
    const values = id === null ? filled(mine) : changed(asked.saw, mine)
    const submission: Submission = { organization: organization.id, kind, id, version, values, fields: fieldsFor(kind) }
    const { key, body } = pending ?? { key: crypto.randomUUID(), body: textOfSubmission(submission) }
    const sent: Edit = { ...asked, version, mine, submission: { key, body, mine } }
    const stop = new AbortController()
    if (isInFront(asked)) {
      giveUp.current = stop
      keep({ ...sent, ...idle, conflict: asked.conflict, mine: typedIn(asked), isSaving: true })
    } else store(sent)
    try {
      const saved = await send(
        submission,
        { key, body },
        { signal: stop.signal, onWaiting: waitingFor(sent, stop.signal) },
      )
      if (saved !== undefined) finish(sent, saved)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      await refuse(sent, error)
    }
  }

  /** The version that an edit is saved on top of. A draft, and what is taken back, keep theirs: own saves since may contradict them. */
  const versionOf = (asked: Edit) => {
    const isFollowing = asked.origin === 'cell' || (asked.origin === 'form' && !asked.isDraft)
    return asked.version === null || !isFollowing
      ? asked.version
      : versionsOfTab.after(recordName(asked), asked.version)
  }

  /** Says that the server cannot be reached: in the form, or once beside it. */
  const waitingFor = (sent: Edit, signal: AbortSignal) => {
    let isTold = false
    return (isWaiting: boolean) => {
      const now = front.current
      if (now !== null && isInFront(sent)) return show({ ...now, isWaiting })
      if (!isWaiting || isTold || signal.aborted) return
      isTold = true
      showToast({ text: showing.words.t('The server does not answer. This is saved as soon as it does.') })
    }
  }

  /** Sends an edit when earlier ones of the record are answered, unless it was closed by then. */
  const save = (asked: Edit): Promise<void> => {
    const isShown = isInFront(asked)
    if (asked.id !== null && asked.submission === undefined && changed(asked.saw, asked.mine).size === 0) {
      if (isShown) close()
      return Promise.resolve()
    }
    if (isShown) show({ ...asked, isSaving: true })
    return turnsOfTab.run(recordName(asked), async () => {
      if (!isShown || isInFront(asked)) await transmit(asked)
    })
  }

  /** Saves on top of what others wrote. */
  const resolve = (decisions: ReadonlyMap<string, Side>) => {
    const current = front.current
    if (current === null || current.conflict === null) return
    const { conflict } = current
    const saw = valuesOf(conflict.theirs, fieldsFor(current.kind))
    const mine = new Map([...saw, ...resolved(conflict.differences, decisions)])
    void save({ ...current, version: conflict.theirs.version, saw, mine })
  }

  return {
    edit,
    openNew: (kind: Kind, presets: Values = new Map()) => {
      const part = partOfPresets(presets)
      const draft = drafts.find(owner, { kind, id: null, part })
      const mine = new Map([...initial(kind), ...presets])
      const begun = { origin: 'form' as const, kind, id: null, part, name: null, version: null, saw: new Map(), mine }
      show(draft === undefined ? beginEdit(begun) : editOfDraft(draft))
    },
    openEdit: (kind: Kind, record: RecordState) => {
      const { id, version } = record
      const draft = drafts.find(owner, { kind, id, part: '' })
      const saw = valuesOf(record, fieldsFor(kind))
      const begun = {
        origin: 'form' as const,
        kind,
        id,
        part: '',
        name: nameOfRecord(kind, record),
        version,
        saw,
        mine: saw,
      }
      show(draft === undefined ? beginEdit(begun) : editOfDraft(draft))
    },
    /** Opens again what was open on this page when it went away. Answers whether there was anything. */
    reopen: (): boolean => {
      const open = drafts.openOn(owner, location.pathname)
      for (const draft of open) next.current.push(() => keep(editOfDraft(draft)))
      if (front.current === null) show(null)
      return open.length > 0
    },
    /** Changes some values without a form. `saw` are those that the person looked at. */
    change: (
      origin: Exclude<EditOrigin, 'form'>,
      kind: Kind,
      record: RecordState,
      values: Values,
      saw: Values = valuesOf(record, fieldsFor(kind)),
      version = record.version,
    ): Promise<void> => {
      const part = origin === 'cell' ? [...values.keys()].join(' ') : origin
      const mine = new Map([...saw, ...values])
      return save(
        beginEdit({ origin, kind, id: record.id, part, name: nameOfRecord(kind, record), version, saw, mine }),
      )
    },
    hasDraft: (kind: Kind, id: string) => drafts.find(owner, { kind, id, part: '' }) !== undefined,
    type: (path: string, value: Json) => {
      const current = front.current
      if (current !== null) keep({ ...current, mine: new Map([...current.mine, [path, value]]) })
    },
    save: () => {
      const current = front.current
      if (current !== null && !current.isSaving) void save(current)
    },
    resolve,
    backToForm: () => {
      const current = front.current
      if (current !== null) keep({ ...current, hasForm: true, conflict: null })
    },
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
