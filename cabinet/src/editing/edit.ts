import type { Failure } from '../api/index.ts'
import { changed, type Values } from '../records/changes.rules.ts'
import type { Difference } from '../records/conflict.rules.ts'
import type { RecordDraft, Unanswered } from '../records/drafts.ts'
import type { Kind } from '../records/kinds.ts'
import type { RecordState } from '../records/record.ts'
import type { HistoryEntry } from '../records/record-requests.ts'

/** Where an edit comes from: a form, a cell of a list, Ctrl Z, or a line of the history that is taken back. */
export type EditOrigin = 'form' | 'cell' | 'undo' | 'history'

/** A record under edit: what the editor saw and typed, and how the save fares. */
export interface Edit {
  /** Tells one edit from the others, also from earlier ones of the record. */
  readonly token: symbol
  readonly origin: EditOrigin
  readonly kind: Kind
  readonly id: string | null
  /** What tells its draft from others of the record. */
  readonly part: string
  readonly name: string | null
  readonly version: number | null
  readonly saw: Values
  readonly mine: Values
  /** Whether the form is open; only the conflict is shown of an edit without one. */
  readonly hasForm: boolean
  /** Whether the values were typed before. */
  readonly isDraft: boolean
  readonly submission?: Unanswered | undefined
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

/** How an edit fares that is neither saved nor refused. */
export const idle = { isSaving: false, isWaiting: false, failure: null, conflict: null }

type Begun = Pick<Edit, 'origin' | 'kind' | 'id' | 'part' | 'name' | 'version' | 'saw' | 'mine'>

/** An edit that begins. A form is open from the start. */
export function beginEdit(begun: Begun): Edit {
  return { token: Symbol('edit'), hasForm: begun.origin === 'form', isDraft: false, ...idle, ...begun }
}

/** The edit that a draft goes on with, in a form. */
export function editOfDraft({ page: _, submission, ...draft }: RecordDraft): Edit {
  return { ...beginEdit({ origin: 'form', ...draft }), isDraft: true, submission }
}

/** What tells the draft of a new record apart: what it began with. */
export function partOfPresets(presets: Values): string {
  return presets.size === 0 ? '' : JSON.stringify([...presets])
}

/**
 * What is left of an edit when a part of it is saved: what was typed while the server was asked, now on top of the saved record. Undefined
 * where nothing was.
 */
export function leftOver(sent: Edit, now: Edit, saved: RecordState, values: Values, name: string): Edit | undefined {
  const typed = changed(sent.mine, now.mine)
  if (typed.size === 0) return undefined
  const begun = { kind: sent.kind, id: saved.id, part: '', name, version: saved.version, saw: values }
  return { ...beginEdit({ origin: 'form', ...begun, mine: new Map([...values, ...typed]) }), token: now.token }
}
