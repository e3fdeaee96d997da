import { useRef } from 'react'
import {
  DropIndicator,
  type DropItem,
  GridList,
  type ItemDropTarget,
  Link,
  useDragAndDrop,
} from 'react-aria-components'
import { sentenceOf } from '../api/index.ts'
import { Button, showToast } from '../components/index.ts'
import type { Stage } from '../directories/directories.ts'
import { formatMoney, formatNumber } from '../format/formats.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { type BoardCard, type BoardStage, mostCards } from './board.rules.ts'
import { DealCard } from './deal-card.tsx'

/** What a dragged card is, for the columns of the board alone. */
const cardType = 'application/x-crm-deal'

/** Where a card was dropped: beside another one; null: on the empty part of the column. */
export type DropPlace = { readonly id: string; readonly isAfter: boolean } | null

interface ColumnProps {
  readonly stage: Stage
  readonly read: BoardStage
  readonly mayMove: boolean
  /** The address of the list with all deals of the stage. */
  readonly listAddress: string
  readonly onOpen: (card: BoardCard) => void
  readonly onMenu: (card: BoardCard, beside: HTMLElement) => void
  readonly onDrop: (id: string, place: DropPlace) => void
  readonly onHold: (isHeld: boolean) => void
  readonly onMore: () => Promise<void>
}

/** A stage of the board: its name, how many deals it has, what they amount to, and its first deals. */
export function StageColumn(props: ColumnProps) {
  const { stage, read, mayMove, listAddress, onOpen, onMenu, onMore } = props
  const { showing } = useWorkspace()
  const { t, language } = showing.words
  const { cards, count, isExact, sums } = read
  const place = useRef<HTMLElement>(null)
  const dragAndDropHooks = useCardDrops(props)
  const isMore = count > cards.length || (!isExact && cards.length > 0)
  const number = `${formatNumber(count, language)}${isExact ? '' : '+'}`
  const showMore = async () => {
    try {
      await onMore()
    } catch (error) {
      showToast({ text: sentenceOf(error, showing.words) })
    }
    // The button may be gone.
    if (document.activeElement === document.body) place.current?.querySelector<HTMLElement>('[role=grid]')?.focus()
  }
  return (
    <section ref={place} className="column" aria-label={stage.name}>
      <div className="column-head">
        <h2>
          {stage.name} <span className="count">{number}</span>
        </h2>
        <p className="column-sum">
          {sums === undefined
            ? t('Hidden')
            : sums.map(({ currency, amount }) => (
                <span key={currency}>
                  {formatMoney(amount, currency, language)}
                  {isExact ? '' : '+'}
                </span>
              ))}
        </p>
      </div>
      <GridList
        aria-label={t('Deals in {stage}', { stage: stage.name })}
        className="cards"
        items={cards}
        {...(mayMove && { dragAndDropHooks })}
        disallowTypeAhead
        renderEmptyState={() => <p className="drop-hint">{t('No deals')}</p>}
      >
        {card => (
          <DealCard card={card} mayMove={mayMove} onOpen={() => onOpen(card)} onMenu={beside => onMenu(card, beside)} />
        )}
      </GridList>
      {isMore && cards.length < mostCards ? (
        <Button look="quiet" isSmall onPress={() => void showMore()}>
          {t('More')}
        </Button>
      ) : null}
      {isMore && cards.length >= mostCards ? <Link href={listAddress}>{t('All in the list')}</Link> : null}
    </section>
  )
}

/** How cards are taken from a column and dropped in it, by mouse, by touch and by keyboard. */
function useCardDrops({ onDrop, onHold }: ColumnProps) {
  const take = async (item: DropItem | undefined, place: DropPlace) => {
    if (item?.kind === 'text') onDrop(await item.getText(cardType), place)
  }
  const { dragAndDropHooks } = useDragAndDrop<BoardCard>({
    getItems: keys => [...keys].map(key => ({ [cardType]: String(key) })),
    acceptedDragTypes: [cardType],
    getDropOperation: () => 'move',
    onDragStart: () => onHold(true),
    onDragEnd: () => onHold(false),
    onReorder: ({ keys: [key], target }) => onDrop(String(key), beside(target)),
    onInsert: ({ items: [item], target }) => void take(item, beside(target)),
    onRootDrop: ({ items: [item] }) => void take(item, null),
    renderDropIndicator: target => <DropIndicator target={target} className="card-place" />,
  })
  return dragAndDropHooks
}

function beside({ key, dropPosition }: ItemDropTarget): DropPlace {
  return { id: String(key), isAfter: dropPosition === 'after' }
}
