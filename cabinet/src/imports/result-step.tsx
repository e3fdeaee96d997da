import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { request } from '../api/index.ts'
import { Banner, Button, ButtonLink, Dialog, FailureBanner, Progress } from '../components/index.ts'
import { formatMoment, formatNumber } from '../format/formats.ts'
import type { Text } from '../words/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { ImportCounts } from './import-counts.tsx'
import { ImportFrame } from './import-frame.tsx'
import { type ImportJob, importQuery, pathBesideImport } from './import-job.ts'
import { importFailureText } from './import-texts.ts'

const ended: Readonly<Record<string, readonly ['success' | 'warning' | 'danger', Text]>> = {
  completed: ['success', 'Imported.'],
  completed_with_errors: ['warning', 'Imported, with errors.'],
  canceled: ['warning', 'Canceled. Rows that were applied stay.'],
  failed: ['danger', 'Failed.'],
}

/** What has become of an import, with the way to take it back. */
export function ResultStep({ job }: { readonly job: ImportJob }) {
  const { organization, showing } = useWorkspace()
  const { t, language } = showing.words
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const undo = useMutation({
    mutationFn: () => request('POST', pathBesideImport(organization.id, job.id, 'undo'), { key: crypto.randomUUID() }),
    onSettled() {
      setAsking(false)
      return client.invalidateQueries({ queryKey: importQuery(organization.id, job.id).queryKey })
    },
  })
  const [meaning, text] = ended[job.status] ?? ended.failed ?? ['danger', 'Failed.']
  const list = job.entityType === 'companies' ? 'companies' : 'contacts'
  return (
    <ImportFrame
      job={job}
      step="result"
      actions={
        <ButtonLink look="primary" href={`/o/${organization.id}/${list}`}>
          {t(list === 'companies' ? 'Show the companies' : 'Show the contacts')}
        </ButtonLink>
      }
    >
      <FailureBanner error={undo.error} />
      <Banner meaning={meaning}>
        <p>
          {t(text)} {job.failure === null ? null : importFailureText(job.failure, showing.words)}
        </p>
      </Banner>
      <ImportCounts job={job} />
      <UndoState job={job} />
      {job.undoableUntil === null ? null : (
        <div className="row-flex row-wrap">
          <Button onPress={() => setAsking(true)}>{t('Undo the import')}</Button>
          <span className="muted">
            {t('Possible until {time}', { time: formatMoment(job.undoableUntil, language) })}
          </span>
        </div>
      )}
      {isAsking && job.undoableUntil !== null ? (
        <Dialog
          isOpen
          role="alertdialog"
          onClose={() => setAsking(false)}
          title={t('Undo the import')}
          foot={
            <>
              <Button look="danger" isDisabled={undo.isPending} onPress={() => undo.mutate()}>
                {t('Undo')}
              </Button>
              <Button autoFocus onPress={() => setAsking(false)}>
                {t('Cancel')}
              </Button>
            </>
          }
        >
          <p>
            {t(
              'Records that it created are deleted, and values that it changed are restored. What was changed since stays. This is possible until {time}.',
              { time: formatMoment(job.undoableUntil, language) },
            )}
          </p>
        </Dialog>
      ) : null}
    </ImportFrame>
  )
}

/** How far the undo has come, and what it has left. */
function UndoState({ job: { undo } }: { readonly job: ImportJob }) {
  const { organization, showing } = useWorkspace()
  const { t, language } = showing.words
  if (undo === null) return null
  const { status, counters, kept } = undo
  const number = (value: number) => formatNumber(value, language)
  if (status === 'queued' || status === 'running') {
    const total = counters.total ?? counters.done
    return (
      <Progress
        label={t('Undoing the import')}
        value={counters.done}
        most={total}
        text={t('{done} of {count}', { done: number(counters.done), count: number(total) })}
      />
    )
  }
  const linked = kept.filter(({ resourceType }) => resourceType === 'contact' || resourceType === 'company')
  return (
    <Banner meaning={status === 'completed' ? 'success' : 'warning'}>
      <p role="status">
        {status === 'completed' ? t('The import is undone.') : t('The undo has not come to its end.')}{' '}
        {t('Deleted records: {removed}. Restored changes: {restored}. Kept records: {kept}.', {
          removed: number(counters.removed),
          restored: number(counters.restored),
          kept: number(counters.kept),
        })}
      </p>
      {linked.length === 0 ? null : (
        <ul className="import-kept">
          {linked.slice(0, mostLinked).map(({ resourceType, id }) => (
            <li key={id}>
              <ButtonLink
                isSmall
                look="quiet"
                href={`/o/${organization.id}/${resourceType === 'contact' ? 'contacts' : 'companies'}/${id}`}
              >
                <span className="mono">{id}</span>
              </ButtonLink>
            </li>
          ))}
        </ul>
      )}
    </Banner>
  )
}

/** The most kept records that the page links to. */
const mostLinked = 10
