import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { FreshDialog } from '../account/fresh-dialog.tsx'
import { Failure, leaveForSignIn, sentenceOf } from '../api/index.ts'
import { Banner, Button, Dialog, Progress, showToast } from '../components/index.ts'
import { formatNumber } from '../format/formats.ts'
import type { Kind } from '../records/kinds.ts'
import { nameOfRecord } from '../records/labels.ts'
import type { RecordState } from '../records/record.ts'
import { pauseFor } from '../records/submission.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { deleteAll, type Refused } from './delete-all.ts'
import { forgetRecord, removeRecord, type Target } from './removal.ts'
import { WhatGoes } from './what-goes.tsx'
import './deletion.css'

/** How many records are deleted at once: a user may send 240 writes a minute. */
const mostAtOnce = 200

interface DeleteRowsProps {
  readonly kind: Kind
  /** The rows of the list, which say what records are called. */
  readonly rows: readonly RecordState[]
  readonly targets: readonly { readonly id: string; readonly expectedVersion: number }[]
  readonly onClose: () => void
  /** Called with the ids of those that were deleted, when the dialog is done. */
  readonly onDone: (deleted: readonly string[]) => void
}

/** Deletes the selected rows one after the other, each in the version that the list shows, and says which of them stay and why. */
export function DeleteRowsDialog({ kind, rows, targets, onClose, onDone }: DeleteRowsProps) {
  const { showing } = useWorkspace()
  const { t, language } = showing.words
  // The list below changes while its rows go.
  const [chosen] = useState(() => namedTargets(kind, rows, targets))
  const deletion = useDeletion(kind, chosen)
  const { deleted, refused, isRunning, isOver, needsFresh, failure, waitsFor } = deletion
  const isTooMany = chosen.length > mostAtOnce
  const isClean = isOver && deleted.size === chosen.length
  useEffect(() => {
    if (!isClean) return
    showToast({ text: t('{count, plural, one {# record} other {# records}} deleted', { count: deleted.size }) })
    onDone([...deleted])
  }, [isClean])
  if (needsFresh) return <FreshDialog onClose={deletion.stop} onFresh={deletion.start} />
  const close = () => {
    deletion.stop()
    if (deleted.size > 0) onDone([...deleted])
    else onClose()
  }
  return (
    <Dialog
      isOpen
      isKept
      role="alertdialog"
      onClose={close}
      title={t('Delete {count, plural, one {# record} other {# records}}', { count: chosen.length })}
      foot={
        isOver ? (
          <Button onPress={close}>{t('Close')}</Button>
        ) : isRunning ? (
          <Button onPress={deletion.stop}>{t('Stop')}</Button>
        ) : (
          <>
            <Button look="danger" isDisabled={isTooMany} onPress={deletion.start}>
              {t('Delete')}
            </Button>
            <Button onPress={close} autoFocus>
              {t('Cancel')}
            </Button>
          </>
        )
      }
    >
      <div className="deletion">
        {isTooMany ? (
          <Banner meaning="warning">
            {t('At most {count} are deleted at once. Select fewer.', { count: mostAtOnce })}
          </Banner>
        ) : null}
        {isRunning || isOver ? (
          <Progress
            label={t('Deleted')}
            value={deleted.size}
            most={chosen.length}
            text={t('{done} of {count}', {
              done: formatNumber(deleted.size, language),
              count: formatNumber(chosen.length, language),
            })}
          />
        ) : (
          <WhatGoes kind={kind} />
        )}
        {waitsFor === undefined || !isRunning ? null : (
          <Banner meaning="warning" isAlert>
            {waitsFor.status === 429
              ? sentenceOf(waitsFor, showing.words)
              : t('The server does not answer. The deletion goes on as soon as it does.')}
          </Banner>
        )}
        {failure === undefined ? null : (
          <Banner meaning="danger" isAlert>
            {sentenceOf(failure, showing.words)}
          </Banner>
        )}
        {isRunning || isOver ? <Staying refused={refused} /> : <Names names={chosen.map(({ name }) => name)} />}
      </div>
    </Dialog>
  )
}

interface NamedTarget extends Target {
  /** Its id where the list has not read it. */
  readonly name: string
}

function namedTargets(
  kind: Kind,
  rows: DeleteRowsProps['rows'],
  targets: DeleteRowsProps['targets'],
): readonly NamedTarget[] {
  const names = new Map(rows.map(record => [record.id, nameOfRecord(kind, record)]))
  return targets.map(({ id, expectedVersion: version }) => ({ id, version, name: names.get(id) ?? id }))
}

const mostNamed = 10

function Names({ names }: { readonly names: readonly string[] }) {
  const { t } = useWorkspace().showing.words
  return (
    <ul className="deletion-rows">
      {names.slice(0, mostNamed).map((name, index) => (
        <li key={index}>{name}</li>
      ))}
      {names.length > mostNamed ? (
        <li className="muted">{t('and {count} more', { count: names.length - mostNamed })}</li>
      ) : null}
    </ul>
  )
}

function Staying({ refused }: { readonly refused: readonly Refused<NamedTarget>[] }) {
  const { showing } = useWorkspace()
  if (refused.length === 0) return null
  return (
    <ul className="deletion-rows" aria-label={showing.words.t('Not deleted')}>
      {refused.map(({ record, failure }) => (
        <li key={record.id}>
          <b className="strong">{record.name}</b> {sentenceOf(failure, showing.words)}
        </li>
      ))}
    </ul>
  )
}

/** How the deletion of some records fares. */
function useDeletion(kind: Kind, records: readonly NamedTarget[]) {
  const { organization } = useWorkspace()
  const client = useQueryClient()
  const [state, setState] = useState<'asked' | 'running' | 'fresh' | 'over'>('asked')
  const [deleted, setDeleted] = useState<ReadonlySet<string>>(new Set())
  const [refused, setRefused] = useState<readonly Refused<NamedTarget>[]>([])
  const [failure, setFailure] = useState<Failure>()
  const [waitsFor, setWaitsFor] = useState<Failure>()
  const giveUp = useRef(new AbortController())
  useEffect(() => () => giveUp.current.abort(), [])
  const start = async () => {
    giveUp.current = new AbortController()
    setState('running')
    setRefused([])
    setFailure(undefined)
    try {
      await deleteAll(
        records.filter(({ id }) => !deleted.has(id)),
        {
          remove: (record, key) => removeRecord(organization.id, kind, record, key),
          pause: pauseFor,
          signal: giveUp.current.signal,
          onDeleted({ id }) {
            setDeleted(before => new Set([...before, id]))
            forgetRecord(client, organization.id, kind, id)
          },
          onWaiting: setWaitsFor,
          onRefused: one => setRefused(before => [...before, one]),
        },
      )
      setState('over')
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (error.code === 'fresh_sign_in_required') return setState('fresh')
      if (error.code === 'not_signed_in') return leaveForSignIn()
      setFailure(error)
      setState('over')
    }
  }
  return {
    deleted,
    refused,
    failure,
    waitsFor,
    isRunning: state === 'running',
    isOver: state === 'over',
    needsFresh: state === 'fresh',
    start: () => void start(),
    stop() {
      giveUp.current.abort()
      if (state === 'fresh') setState('asked')
    },
  }
}
