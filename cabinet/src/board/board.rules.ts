import type { MovableDeal } from '../deal-moves/move-deal.ts'

/** A deal as the board shows it. Without the right to amounts it has none. */
export interface BoardCard extends MovableDeal {
  readonly title: string
  /** Its place among all deals of the stage, from 0. */
  readonly place: number
  readonly stageUuid: string
  readonly amount?: string | null
  readonly currency: string | null
  readonly ownerUuid: string | null
  readonly expectedCloseDate: string | null
  readonly stageChangedAt: string
  readonly company: { readonly id: string; readonly name: string } | null
}

/** A stage with its first deals. The count and the sums are the least that there are where they are not exact. */
export interface BoardStage {
  readonly stageUuid: string
  readonly count: number
  readonly isExact: boolean
  readonly sums?: readonly { readonly currency: string; readonly amount: string }[]
  readonly cards: readonly BoardCard[]
}

export interface Board {
  readonly pipelineId: string
  readonly stages: readonly BoardStage[]
}

/** A move that the server has not answered yet: the card stands at `index` among the other cards of the stage. */
export interface PendingMove {
  readonly card: BoardCard
  readonly stageUuid: string
  readonly index: number
}

/** How many cards a stage has at first, and with each `More`. */
export const cardStep = 50
/** The most cards that the server shows of a stage. */
export const mostCards = 200

/** How many cards to ask for, to see the next ones behind those of a stage. */
export function cardsToAsk(shown: number): number {
  return Math.min(mostCards, Math.ceil(shown / cardStep) * cardStep + cardStep)
}

/** The board with newer states of some stages. */
export function withStages(board: Board, newer: readonly BoardStage[]): Board {
  const stages = board.stages.map(stage => newer.find(({ stageUuid }) => stageUuid === stage.stageUuid) ?? stage)
  return { ...board, stages }
}

/**
 * The board with a card where a move takes it, and with the places that the cards of these stages have then. What stages amount to comes with
 * the answer of the server.
 */
export function withMove(board: Board, { card, stageUuid, index }: PendingMove): Board {
  const stages = board.stages.map(stage => {
    const before = stage.cards.find(({ id }) => id === card.id)
    const left = stage.cards
      .filter(({ id }) => id !== card.id)
      .map(other => (before !== undefined && before.place < other.place ? { ...other, place: other.place - 1 } : other))
    const wasHere = before !== undefined
    const isHere = stage.stageUuid === stageUuid
    const place = positionAt(left, card, index) ?? 0
    const moved = { ...card, stageUuid, place }
    const others = isHere
      ? left.map(other => (other.place < place ? other : { ...other, place: other.place + 1 }))
      : left
    return {
      ...stage,
      count: stage.count + Number(isHere) - Number(wasHere),
      cards: isHere ? [...others.slice(0, index), moved, ...others.slice(index)] : others,
    }
  })
  return { ...board, stages }
}

/**
 * The place in the stage that the API gives a deal which stands at `index` among the other cards; undefined: the top. Cards can be some of
 * the stage alone, so it follows from their places; the API counts it without the deal that moves.
 */
export function positionAt(cards: readonly BoardCard[], card: BoardCard, index: number): number | undefined {
  const others = cards.filter(({ id }) => id !== card.id)
  const behind = others[index]
  const before = others[index - 1]
  const place = behind === undefined ? (before === undefined ? undefined : before.place + 1) : behind.place
  if (place === undefined) return undefined
  const wasBefore = cards.length > others.length && card.place < place
  return wasBefore ? place - 1 : place
}

/** Where a card is dropped: before or after another one, or, without one, at the top. Answers the index among the other cards. */
export function indexOfDrop(
  cards: readonly BoardCard[],
  card: BoardCard,
  target: { readonly id: string; readonly isAfter: boolean } | null,
): number {
  if (target === null) return 0
  const at = cards.findIndex(({ id }) => id === target.id)
  const others = cards.slice(0, target.isAfter ? at + 1 : at).filter(({ id }) => id !== card.id)
  return others.length
}

/** Whether a card already stands at an index of the stage. */
export function standsAt({ stageUuid, cards }: BoardStage, card: BoardCard, to: PendingMove): boolean {
  return to.stageUuid === stageUuid && cards.findIndex(({ id }) => id === card.id) === to.index
}
