import { useMemo, useState } from 'react'
import { Failure, sentenceOf } from '../api/index.ts'
import { showToast } from '../components/index.ts'
import { type Lost, moveDeal } from '../deal-moves/move-deal.ts'
import { type Stage, stageOf } from '../directories/directories.ts'
import { formatNumber } from '../format/formats.ts'
import { actorOf } from '../record-page/actor.ts'
import { readHistory } from '../records/record-requests.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { type Board, type BoardCard, type PendingMove, positionAt, standsAt, withMove } from './board.rules.ts'

interface Surroundings {
  /** Reads the board again. */
  readonly refresh: () => Promise<void>
  readonly undo: () => void
}

/** A move to a lost stage, which waits for the reason. */
interface Losing extends PendingMove {
  readonly stage: Stage
}

/**
 * The moves of cards. A card stands where it is moved at once; when the server refuses, it goes back, and the refusal is told. A lost stage
 * asks for the reason first.
 */
export function useBoardMoves(board: Board | undefined, { refresh, undo }: Surroundings) {
  const { organization, directories, showing } = useWorkspace()
  const { t, language } = showing.words
  const [pending, setPending] = useState<readonly PendingMove[]>([])
  const [losing, setLosing] = useState<Losing>()
  const shown = useMemo(() => board && pending.reduce(withMove, board), [board, pending])

  /** `Moved to Proposal, 3 of 12`. */
  const told = ({ card, stageUuid, index }: PendingMove) => {
    const stage = stageOf(directories, stageUuid)?.name ?? t('Unknown')
    const there = board?.stages.find(each => each.stageUuid === stageUuid)
    if (there === undefined) return t('Moved to {stage}', { stage })
    const count = there.count + (there.cards.some(({ id }) => id === card.id) ? 0 : 1)
    return t('Moved to {stage}, {place} of {count}', {
      stage,
      place: index + 1,
      count: `${formatNumber(count, language)}${there.isExact ? '' : '+'}`,
    })
  }

  const whyRefused = async ({ id, title }: BoardCard, failure: unknown): Promise<string> => {
    if (!(failure instanceof Failure) || failure.code !== 'version_conflict') {
      const why = sentenceOf(failure, showing.words)
      return t('Not moved: {title}. {why}', { title, why })
    }
    const { data } = await readHistory(organization.id, 'deals', id, null).catch(() => ({ data: [] }))
    const who = data[0] === undefined ? t('Unknown') : actorOf(data[0], directories, t)
    return t('Not moved: {who} has changed {title} meanwhile. You see it as it is now.', { who, title })
  }

  /** Sends a move while the card already stands there. Answers why it was refused; undefined if it was not. */
  const send = async (move: PendingMove, lost: Lost): Promise<string | undefined> => {
    const { card, stageUuid, index } = move
    const cards = shown?.stages.find(stage => stage.stageUuid === stageUuid)?.cards ?? []
    const position = positionAt(cards, card, index)
    setPending(before => [...before, move])
    try {
      const goal = { stageUuid, ...(position !== undefined && { position }), ...lost }
      await moveDeal(organization.id, card, goal, () => void refresh())
      showToast({ text: told(move), action: { text: t('Undo'), onPress: undo } })
      return undefined
    } catch (error) {
      return await whyRefused(card, error)
    } finally {
      await refresh()
      setPending(before => before.filter(each => each !== move))
    }
  }

  return {
    board: shown,
    losing,
    /** Moves a card to an index among the other cards of a stage. */
    move: async (card: BoardCard, stage: Stage, index: number) => {
      const move = { card, stageUuid: stage.uuid, index }
      if (shown?.stages.some(each => standsAt(each, card, move)) === true) return
      if (stage.type === 'lost' && card.stageUuid !== stage.uuid) return setLosing({ ...move, stage })
      const refused = await send(move, {})
      if (refused !== undefined) showToast({ text: refused })
    },
    /** Gives the reason of a loss. Answers why the server has refused it. */
    lose: async (lost: Lost) => {
      if (losing === undefined) return undefined
      const cards = shown?.stages.flatMap(stage => stage.cards) ?? []
      // After a conflict the board shows the version that the next attempt builds on.
      const card = cards.find(({ id }) => id === losing.card.id) ?? losing.card
      const refused = await send({ ...losing, card }, lost)
      if (refused === undefined) setLosing(undefined)
      return refused
    },
    keep: () => setLosing(undefined),
  }
}
