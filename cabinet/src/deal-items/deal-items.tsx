import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { Button as PlainButton } from 'react-aria-components'
import { sentenceOf } from '../api/index.ts'
import { Banner, Button, HiddenValue, Skeleton, showToast } from '../components/index.ts'
import { formatMoney } from '../format/formats.ts'
import { type RowAction, RowMenu } from '../parts/row-menu.tsx'
import { underOneKey } from '../parts/under-one-key.ts'
import { partsKey, usePartChanges } from '../parts/use-part-changes.ts'
import { useRemovalFocus } from '../parts/use-removal-focus.ts'
import type { RecordState } from '../records/record.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { type DealItem, moveItem, placeAfterMove, readItems, removeItem, restoreItem } from './deal-item.ts'
import { ItemForm } from './item-form.tsx'
import { type ItemEditing, useItemForm } from './use-item-form.ts'
import '../parts/parts.css'
import './deal-items.css'

/** The lines of a deal with their sums. Everything of a line is money: without the right to see amounts there is a lock. */
export function DealItems({ deal }: { readonly deal: RecordState }) {
  const { organization, showing, may } = useWorkspace()
  const { t } = showing.words
  const maySee = may('crm_amounts_read')
  const mayWrite = maySee && may('crm_deals_write') && may('crm_amounts_write')
  const { data, error } = useQuery({
    queryKey: [...partsKey(organization.id, 'deals', deal.id), 'items'],
    queryFn: ({ signal }) => readItems(organization.id, deal.id, signal),
    enabled: maySee,
  })
  const change = usePartChanges('deals', deal.id)
  const editing = useItemForm(deal.id, () => void change(async () => {}))
  const actions = useActions(deal, data ?? [], change)
  if (!maySee)
    return (
      <div className="section">
        <HiddenValue title={t('{name} is hidden from you', { name: t('Items') })}>
          {t('It needs the right {scope}. An owner of the organization can give it.', { scope: 'crm_amounts_read' })}
        </HiddenValue>
      </div>
    )
  return (
    <div className="section" aria-busy={data === undefined && error === null}>
      {error === null ? null : <Banner meaning="warning">{sentenceOf(error, showing.words)}</Banner>}
      {data === undefined ? (
        error === null && <Skeleton />
      ) : data.length === 0 ? (
        <p className="muted">{t('No items yet.')}</p>
      ) : (
        <ItemTable deal={deal} items={data} mayWrite={mayWrite} editing={editing} actions={actions} />
      )}
      {mayWrite ? (
        <div className="items-add">
          <Button id="new-item" isSmall onPress={() => editing.open(null)}>
            <Plus className="icon icon-small" />
            {t('New item')}
          </Button>
        </div>
      ) : null}
      {editing.form === null ? null : <ItemForm editing={editing} />}
    </div>
  )
}

interface ItemActions {
  readonly move: (item: DealItem, by: 1 | -1) => Promise<void>
  readonly remove: (item: DealItem) => Promise<void>
}

/** What can be done with lines. Each change goes out from what the one before has left. */
function useActions(
  deal: RecordState,
  items: readonly DealItem[],
  change: ReturnType<typeof usePartChanges>,
): ItemActions {
  const { organization, showing } = useWorkspace()
  const { t } = showing.words
  const client = useQueryClient()
  const latest = () =>
    client.getQueryData<readonly DealItem[]>([...partsKey(organization.id, 'deals', deal.id), 'items']) ?? []
  const latestOf = (item: DealItem) => latest().find(({ id }) => id === item.id) ?? item
  const focus = (item: { readonly id: string } | undefined) =>
    document.getElementById(item === undefined ? 'new-item' : `item-${item.id}`)?.focus()
  const withFocus = useRemovalFocus(items, focus)
  return {
    async move(item, by) {
      let place: number | undefined
      const isMoved = await change(async () => {
        place = placeAfterMove(latest(), item.id, by)
        if (place !== undefined) await moveItem(organization.id, deal.id, latestOf(item), place)
      })
      if (!isMoved || place === undefined) return
      const values = { name: item.name, place: place + 1, count: latest().length }
      showToast({ text: t('{name} is now {place} of {count}', values) })
      focus(item)
    },
    async remove(item) {
      const removed = latestOf(item)
      const remove = () => change(() => removeItem(organization.id, deal.id, latestOf(item)))
      if (!(await withFocus(item, remove))) return
      const restore = underOneKey(key => restoreItem(organization.id, deal.id, removed, key))
      const undo = { text: t('Undo'), onPress: () => void change(restore, undo) }
      showToast({ text: t('Deleted: {name}', { name: item.name }), action: undo })
    },
  }
}

interface TableProps {
  readonly deal: RecordState
  readonly items: readonly DealItem[]
  readonly mayWrite: boolean
  readonly editing: ItemEditing
  readonly actions: ItemActions
}

function ItemTable({ deal, items, mayWrite, editing, actions }: TableProps) {
  const { t, language } = useWorkspace().showing.words
  const currency = typeof deal.currency === 'string' ? deal.currency : null
  const total = typeof deal.itemsTotal === 'string' ? formatMoney(deal.itemsTotal, currency, language) : ''
  return (
    <div className="grid-plain">
      <table className="grid items" aria-label={t('Items')}>
        <colgroup>
          <col />
          <col className="c-s" />
          <col className="c-m" />
          <col className="c-m" />
          <col className="c-act" />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">{t('Name')}</th>
            <th scope="col" className="num">
              {t('Quantity')}
            </th>
            <th scope="col" className="num">
              {t('Price')}
            </th>
            <th scope="col" className="num">
              {t('Sum')}
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          {items.map(item => (
            <tr key={item.id} className="tall">
              <th scope="row">
                <ItemName item={item} mayWrite={mayWrite} editing={editing} actions={actions} />
                <ItemTerms item={item} currency={currency} />
              </th>
              <td className="num">
                {[formatMoney(item.quantity, null, language), item.unit].filter(Boolean).join(' ')}
              </td>
              <td className="num">{formatMoney(item.price, currency, language)}</td>
              <td className="num">{formatMoney(item.total, currency, language)}</td>
              <td>{mayWrite ? <ItemMenu item={item} items={items} editing={editing} actions={actions} /> : null}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={3}>
              {t('Items total')}
            </th>
            <td className="num strong">{total}</td>
            <td />
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

type NameProps = Pick<TableProps, 'mayWrite' | 'editing' | 'actions'> & { readonly item: DealItem }

/** The name opens the form; with Alt, the arrows move the line. */
function ItemName({ item, mayWrite, editing, actions }: NameProps) {
  if (!mayWrite) return <span className="strong">{item.name}</span>
  const press = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    void actions.move(item, event.key === 'ArrowUp' ? -1 : 1)
  }
  return (
    <PlainButton id={`item-${item.id}`} className="text-btn" onPress={() => editing.open(item)} onKeyDown={press}>
      {item.name}
    </PlainButton>
  )
}

/** What else is agreed on about the line: its key, discount and tax. */
function ItemTerms({ item, currency }: { readonly item: DealItem; readonly currency: string | null }) {
  const { t, language } = useWorkspace().showing.words
  const { sku, discount, discountType, taxMode, taxRate } = item
  const number = (text: string) => formatMoney(text, null, language)
  const isZero = (text: string) => /^0(?:\.0+)?$/u.test(text)
  const terms = [
    sku,
    isZero(discount)
      ? null
      : t('{amount} off', {
          amount: discountType === 'percent' ? `${number(discount)} %` : formatMoney(discount, currency, language),
        }),
    taxMode === 'none'
      ? null
      : t(taxMode === 'inclusive' ? '{rate} % tax included' : '{rate} % tax on top', { rate: number(taxRate) }),
  ].filter(text => text !== null)
  return terms.length === 0 ? null : <span className="sub">{terms.join(' · ')}</span>
}

function ItemMenu({
  item,
  items,
  editing,
  actions,
}: Omit<TableProps, 'deal' | 'mayWrite'> & { readonly item: DealItem }) {
  const act = (action: RowAction) => {
    if (action === 'edit') editing.open(item)
    if (action === 'up') void actions.move(item, -1)
    if (action === 'down') void actions.move(item, 1)
    if (action === 'delete') void actions.remove(item)
  }
  return <RowMenu name={item.name} isFirst={items[0] === item} isLast={items.at(-1) === item} onAct={act} />
}
