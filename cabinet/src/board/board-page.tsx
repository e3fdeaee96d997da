import { useRouter } from '@tanstack/react-router'
import { ChevronDown, Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Failure, sentenceOf } from '../api/index.ts'
import { AgainButton, Banner, Button, Key, lazyPart, MenuButton, MenuItem, Skeleton } from '../components/index.ts'
import { LostDialog } from '../deal-moves/lost-dialog.tsx'
import type { Lost } from '../deal-moves/move-deal.ts'
import { stageOf } from '../directories/directories.ts'
import { EditingSurface } from '../editing/editing-surface.tsx'
import { usePageEditing } from '../editing/use-page-editing.ts'
import { useKeys } from '../keys/index.ts'
import { queryOf, type Selection, withFilter } from '../lists/filters.rules.ts'
import { LayoutSwitch } from '../lists/layout-switch.tsx'
import { Toolbar } from '../lists/toolbar.tsx'
import { useOpenRecord } from '../lists/use-open-record.ts'
import { useSelection } from '../lists/use-selection.ts'
import { ViewTabs } from '../lists/view-tabs.tsx'
import { initialColumns } from '../lists/views.rules.ts'
import { LiveDot } from '../live/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { type BoardCard, indexOfDrop } from './board.rules.ts'
import { type DropPlace, StageColumn } from './stage-column.tsx'
import { StageMenu } from './stage-menu.tsx'
import { useBoard } from './use-board.ts'
import { useBoardMoves } from './use-board-moves.ts'
import './board.css'

const RecordPanel = lazyPart(async () => (await import('../record-page/record-panel.tsx')).RecordPanel)

/** The board of deals: a column for each stage of a pipeline. What it shows stands in the address, as that of the list does. */
export function BoardPage() {
  const { organization, directories, showing, may } = useWorkspace()
  const { t } = showing.words
  const router = useRouter()
  const { selection, show } = useSelection('deals')
  const { board, refresh, hold, more } = useBoard(organization.id, boardQuery(selection))
  const mayWrite = may('crm_deals_write')
  const editing = usePageEditing({
    mayWrite,
    onSaved: (kind, record, isNew) => {
      if (isNew) router.history.push(`/cabinet/o/${organization.id}/${kind}/${record.id}`)
      else void refresh()
    },
  })
  const moves = useBoardMoves(board.data, { refresh, undo: editing.undo })
  const { opened, open, close } = useOpenRecord('deals')
  const [menu, setMenu] = useState<{ readonly card: BoardCard; readonly beside: HTMLElement }>()

  const cards = moves.board?.stages.flatMap(stage => stage.cards) ?? []
  const move = (card: BoardCard | undefined, stageUuid: string, place: DropPlace) => {
    const stage = stageOf(directories, stageUuid)
    if (card === undefined || stage === undefined) return
    const there = moves.board?.stages.find(each => each.stageUuid === stageUuid)?.cards ?? []
    void moves.move(card, stage, indexOfDrop(there, card, place)).finally(() => focusCard(card.id))
    focusCard(card.id)
  }
  const lose = async (lost: Lost) => {
    const card = moves.losing?.card
    const refused = await moves.lose(lost)
    if (refused === undefined && card !== undefined) focusCard(card.id)
    return refused
  }
  const keep = () => {
    moves.keep()
    if (moves.losing !== undefined) focusCard(moves.losing.card.id)
  }
  const openMenu = () => {
    const row = document.activeElement?.closest<HTMLElement>('.card')
    const card = cards.find(({ id }) => id === row?.dataset.key)
    if (row != null && card !== undefined) setMenu({ card, beside: row })
  }
  useKeys(
    mayWrite
      ? [
          { keys: 'c', text: t('New deal'), run: () => editing.openNew('deals') },
          { keys: 'm', text: t('Move the card'), run: openMenu },
        ]
      : [],
  )

  return (
    <main className="main">
      <title>{`${t('Deals')} · ${organization.name}`}</title>
      <div className="page-head">
        <h1>{t('Deals')}</h1>
        <PipelineChoice
          current={moves.board?.pipelineId}
          onChoose={id => show({ ...selection, filters: withFilter(selection.filters, 'pipelineId', [id]) })}
        />
        <div className="page-actions">
          <LayoutSwitch />
          {mayWrite ? (
            <Button look="primary" shortcut="C" onPress={() => editing.openNew('deals')}>
              <Plus className="icon" />
              {t('New deal')}
            </Button>
          ) : null}
        </div>
      </div>
      <ViewTabs kind="deals" selection={selection} onShow={view => show(view.selection)} />
      <Toolbar
        kind="deals"
        selection={selection}
        onShow={show}
        columns={initialColumns('deals')}
        added={0}
        onRefresh={() => void refresh()}
      >
        {mayWrite ? (
          <span className="muted">
            {t('Drag a card, or move it with')} <Key>M</Key>
          </span>
        ) : null}
      </Toolbar>
      {board.error === null ? null : <NotRead error={board.error} onAgain={() => void refresh()} />}
      <div className="list-beside">
        {moves.board === undefined ? (
          <div className="section list-waiting" aria-busy={board.error === null}>
            <Skeleton />
          </div>
        ) : (
          <div className="board" aria-busy={board.isFetching}>
            {moves.board.stages.map(read => {
              const stage = stageOf(directories, read.stageUuid)
              if (stage === undefined) return null
              return (
                <StageColumn
                  key={stage.uuid}
                  stage={stage}
                  read={read}
                  mayMove={mayWrite}
                  listAddress={`/o/${organization.id}/deals?${stageQuery(selection, stage.uuid)}`}
                  onOpen={card => open(card.id)}
                  onMenu={(card, beside) => setMenu({ card, beside })}
                  onDrop={(id, place) =>
                    move(
                      cards.find(card => card.id === id),
                      stage.uuid,
                      place,
                    )
                  }
                  onHold={hold}
                  onMore={() => more(stage.uuid, read.cards.length)}
                />
              )
            })}
          </div>
        )}
        {opened === undefined ? null : (
          <Suspense>
            <RecordPanel
              kind="deals"
              id={opened}
              panel={{ onPrevious: undefined, onNext: undefined, onClose: close }}
            />
          </Suspense>
        )}
      </div>
      {menu === undefined ? null : (
        <StageMenu
          label={t('Move {title}', { title: menu.card.title })}
          beside={menu.beside}
          current={menu.card.stageUuid}
          onChoose={stageUuid => move(menu.card, stageUuid, null)}
          onClose={() => setMenu(undefined)}
        />
      )}
      {moves.losing === undefined ? null : <LostDialog deal={moves.losing.card.id} onClose={keep} onLose={lose} />}
      <LiveDot />
      <EditingSurface editing={editing} />
    </main>
  )
}

/** What the server is asked for: the filters of the list, of which the first pipeline is that of the board. It has an order of its own. */
function boardQuery(selection: Selection): string {
  const query = queryOf({ ...selection, sort: '' })
  const pipeline = query.get('pipelineId')
  if (pipeline !== null) query.set('pipelineId', pipeline)
  return query.toString()
}

function stageQuery(selection: Selection, stageUuid: string): URLSearchParams {
  return queryOf({ ...selection, filters: withFilter(selection.filters, 'stageUuid', [stageUuid]) })
}

/** Gives the focus to a card when its move has taken the focus from the page: its column draws it some frames later. */
function focusCard(id: string, frames = 10): void {
  if (frames === 0) return
  requestAnimationFrame(() => {
    const card = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(id)}"]`)
    if (document.activeElement === document.body) card?.focus()
    focusCard(id, frames - 1)
  })
}

interface PipelineProps {
  readonly current: string | undefined
  readonly onChoose: (id: string) => void
}

/** The choice of the pipeline, where there are several. */
function PipelineChoice({ current, onChoose }: PipelineProps) {
  const { directories, showing } = useWorkspace()
  const { pipelines } = directories
  if (pipelines.length < 2) return null
  const name = pipelines.find(({ id }) => id === current)?.name ?? ''
  return (
    <MenuButton
      label={showing.words.t('Pipeline')}
      placement="bottom start"
      onAction={key => onChoose(String(key))}
      button={
        <Button look="quiet">
          {name}
          <ChevronDown className="icon icon-small" />
        </Button>
      }
    >
      {pipelines.map(pipeline => (
        <MenuItem key={pipeline.id} id={pipeline.id}>
          {pipeline.name}
        </MenuItem>
      ))}
    </MenuButton>
  )
}

/** Why the board could not be read; what was read before stays. */
function NotRead({ error, onAgain }: { readonly error: Error; readonly onAgain: () => void }) {
  const { showing } = useWorkspace()
  return (
    <Banner meaning="danger" isAlert action={<AgainButton isSmall error={error} onAgain={onAgain} />}>
      {sentenceOf(error, showing.words)}{' '}
      {error instanceof Failure ? <span className="mono">{error.requestId}</span> : null}
    </Banner>
  )
}
