import { Failure, request } from '../api/index.ts'
import { turnsOfTab, versionsOfTab } from '../editing/turns.ts'
import { remember } from '../editing/undo-stack.ts'
import type { Json, RecordState } from '../records/record.ts'
import { type Write, write } from '../records/record-requests.ts'
import { isWorthAnotherTry, pauseFor } from '../records/submission.ts'

/** Why a deal is lost. */
export interface Lost {
  readonly lostReasonCategoryUuid?: string
  readonly lostReasonComment?: string
}

/** Where a deal goes: to the top of a stage, unless a place in it is given, counted from 0. */
export interface DealMove extends Lost {
  readonly stageUuid: string
  readonly position?: number
}

/** What a move needs to know of a deal as it was seen: also where it goes back to. */
export interface MovableDeal {
  readonly id: string
  readonly version: number
  readonly stageUuid?: Json
  /** Its place in the stage, where it is known. */
  readonly place?: number
  readonly lostReasonCategoryUuid?: Json
  readonly lostReasonComment?: Json
}

/**
 * Moves a deal, in its turn among the writes of this tab to that deal, and remembers how to take the move back. Calls `onUndone` when that
 * has happened. Throws the `Failure` with which the server has refused the move.
 */
export function moveDeal(
  organization: string,
  deal: MovableDeal,
  move: DealMove,
  onUndone: () => void,
): Promise<RecordState> {
  const name = `${organization}/deals/${deal.id}`
  return turnsOfTab.run(name, async () => {
    const version = versionsOfTab.after(name, deal.version)
    const moved = await sendMove(organization, deal.id, version, move)
    versionsOfTab.note(name, version, moved.version)
    remember({ organization, undo: () => moveBack(organization, deal, move.stageUuid, onUndone) })
    return moved
  })
}

/** Moves a deal to where it was, unless somebody has taken it to another stage since. Answers what to say about it. */
async function moveBack(organization: string, deal: MovableDeal, from: string, onUndone: () => void) {
  const now = await request<RecordState>('GET', `/o/${organization}/crm/deals/${deal.id}`)
  if (now.stageUuid !== from) return 'This was changed again since: nothing was undone.' as const
  await sendMove(organization, deal.id, now.version, placeOf(deal))
  onUndone()
  return 'Undone' as const
}

function placeOf({ stageUuid, place, lostReasonCategoryUuid, lostReasonComment }: MovableDeal): DealMove {
  return {
    stageUuid: String(stageUuid),
    ...(place !== undefined && { position: place }),
    ...(typeof lostReasonCategoryUuid === 'string' && { lostReasonCategoryUuid }),
    ...(typeof lostReasonComment === 'string' && { lostReasonComment }),
  }
}

/** How long to wait before each further attempt, in milliseconds. */
const pauses = [500, 1_000, 2_000]

/** Sends a move again under the same key while nobody knows what became of it: its answer may be lost though it was made. */
async function sendMove(
  organization: string,
  id: string,
  expectedVersion: number,
  move: DealMove,
): Promise<RecordState> {
  const body = { expectedVersion, ...move }
  const asked: Write = { method: 'PATCH', path: `deals/${id}/move`, body, key: crypto.randomUUID() }
  for (const pause of pauses) {
    try {
      return await write(organization, asked)
    } catch (error) {
      if (!(error instanceof Failure) || !isWorthAnotherTry(error.status, error.code)) throw error
      await pauseFor(pause)
    }
  }
  return write(organization, asked)
}
