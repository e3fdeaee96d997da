import { Ellipsis, GripVertical } from 'lucide-react'
import { Button, GridListItem } from 'react-aria-components'
import { Avatar } from '../components/index.ts'
import { operatorName } from '../directories/directories.ts'
import { formatDate, formatDays, formatMoment, formatMoney } from '../format/formats.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import type { BoardCard } from './board.rules.ts'

interface CardProps {
  readonly card: BoardCard
  readonly mayMove: boolean
  readonly onOpen: () => void
  /** Opens the menu of stages beside an element. */
  readonly onMenu: (beside: HTMLElement) => void
}

/** A deal on the board: what it is worth and to whom, when it closes, who runs it, and how long it is in its stage. */
export function DealCard({ card, mayMove, onOpen, onMenu }: CardProps) {
  const { directories, showing, organization } = useWorkspace()
  const { words, now } = showing
  const { t, language } = words
  const { title, amount, currency, company, ownerUuid, expectedCloseDate, stageChangedAt } = card
  const owner = ownerUuid === null ? undefined : operatorName(directories, ownerUuid)
  return (
    <GridListItem id={card.id} textValue={title} className="card" onAction={onOpen}>
      <div className="card-head">
        <h3 className="card-title">{title}</h3>
        {mayMove ? (
          <span className="card-tools">
            <Button slot="drag" className="icon-btn icon-btn-small">
              <GripVertical className="icon icon-small" />
            </Button>
            <Button
              className="icon-btn icon-btn-small"
              aria-label={t('Move {title}', { title })}
              onPress={({ target }) => (target instanceof HTMLElement ? onMenu(target) : undefined)}
            >
              <Ellipsis className="icon icon-small" />
            </Button>
          </span>
        ) : null}
      </div>
      {company === null ? null : <span className="card-company">{company.name}</span>}
      <div className="card-foot">
        {typeof amount === 'string' ? (
          <span className="strong">{formatMoney(amount, currency ?? organization.defaultCurrency, language)}</span>
        ) : null}
        {expectedCloseDate === null ? null : (
          <span className="muted">{formatDate(expectedCloseDate, language, now)}</span>
        )}
        <span
          className="muted"
          title={t('In this stage since {time}', { time: formatMoment(stageChangedAt, language) })}
        >
          {formatDays(stageChangedAt, language, now)}
        </span>
        {owner === undefined || ownerUuid === null ? null : (
          <>
            <Avatar name={owner} id={ownerUuid} />
            <span className="visually-hidden">{owner}</span>
          </>
        )}
      </div>
    </GridListItem>
  )
}
