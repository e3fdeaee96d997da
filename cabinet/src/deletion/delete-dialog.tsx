import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { FreshDialog } from '../account/fresh-dialog.tsx'
import { Failure, sentenceOf } from '../api/index.ts'
import { Banner, Button, Dialog, Skeleton, showToast } from '../components/index.ts'
import type { Kind } from '../records/kinds.ts'
import { nameOfRecord } from '../records/labels.ts'
import type { RecordState } from '../records/record.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { forgetRecord, previewRemoval, removeRecord } from './removal.ts'
import { Blockers, LinkCounts, WhatGoes } from './what-goes.tsx'
import './deletion.css'

interface DeleteProps {
  readonly kind: Kind
  readonly record: RecordState
  readonly onClose: () => void
  readonly onDeleted: () => void
}

/** Says what goes with a record, and deletes it in the version that was looked at. What others changed meanwhile is said first. */
export function DeleteDialog({ kind, record, onClose, onDeleted }: DeleteProps) {
  const { organization, showing } = useWorkspace()
  const { t } = showing.words
  const client = useQueryClient()
  const [seen, setSeen] = useState(record.version)
  const [key, setKey] = useState(() => crypto.randomUUID())
  const [isDeleting, setDeleting] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const [isAsking, setAsking] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['removal', organization.id, kind, record.id],
    queryFn: ({ signal }) => previewRemoval(organization.id, kind, record.id, signal),
    staleTime: 0,
    gcTime: 0,
  })
  const name = nameOfRecord(kind, record)
  const isLeft = useRef(false)
  useEffect(() => {
    isLeft.current = false
    return () => {
      isLeft.current = true
    }
  }, [])
  const remove = async () => {
    if (data === undefined) return
    setDeleting(true)
    setFailure(undefined)
    try {
      await removeRecord(organization.id, kind, { id: record.id, version: data.version }, key)
      forgetRecord(client, organization.id, kind, record.id)
      showToast({ text: t('Deleted: {name}', { name }) })
      if (!isLeft.current) onDeleted()
    } catch (thrown) {
      setDeleting(false)
      if (!(thrown instanceof Failure)) throw thrown
      if (thrown.code === 'fresh_sign_in_required') return setAsking(true)
      // Nobody knows whether it was done if the server did not answer: the same key tells.
      if (thrown.status !== 0) setKey(crypto.randomUUID())
      setFailure(thrown)
      await refetch()
    }
  }
  if (isAsking) {
    const goOn = () => {
      setAsking(false)
      void remove()
    }
    return <FreshDialog onClose={() => setAsking(false)} onFresh={goOn} />
  }
  const isNewer = data !== undefined && data.version > seen
  const isBlocked = data !== undefined && data.blockers.length > 0
  const press = () => {
    if (data !== undefined) setSeen(data.version)
    void remove()
  }
  // A deletion under way cannot be stopped.
  const close = () => {
    if (!isDeleting) onClose()
  }
  return (
    <Dialog
      isOpen
      isKept={isDeleting}
      role="alertdialog"
      onClose={close}
      title={t('Delete {name}', { name })}
      foot={
        <>
          <Button look="danger" isDisabled={data === undefined || isBlocked || isDeleting} onPress={press}>
            {t('Delete')}
          </Button>
          <Button isDisabled={isDeleting} onPress={close} autoFocus>
            {t('Cancel')}
          </Button>
        </>
      }
    >
      <div className="deletion" aria-busy={data === undefined && error === null}>
        {failure === undefined || failure.code === 'version_conflict' ? null : (
          <Banner meaning="danger" isAlert>
            {sentenceOf(failure, showing.words)}
          </Banner>
        )}
        {isNewer ? (
          <Banner meaning="warning" isAlert>
            {t('Somebody changed this since you opened it: it is v{version} now, and you saw v{seen}.', {
              version: data.version,
              seen,
            })}
          </Banner>
        ) : null}
        <WhatGoes kind={kind} />
        {data !== undefined ? (
          <>
            <LinkCounts links={data.links} />
            <Blockers blockers={data.blockers} />
          </>
        ) : error === null ? (
          <Skeleton />
        ) : (
          <Banner meaning="danger" isAlert>
            {sentenceOf(error, showing.words)}
          </Banner>
        )}
      </div>
    </Dialog>
  )
}
