import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { request } from '../api/index.ts'
import { Banner, Button, FailureBanner } from '../components/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { ImportCounts } from './import-counts.tsx'
import { ImportFrame } from './import-frame.tsx'
import { type ImportJob, importQuery, pathOfImport } from './import-job.ts'
import { startAfter } from './plan.rules.ts'

interface CheckedStepProps {
  readonly job: ImportJob
  /** Leads back to the columns. */
  readonly onChange: () => void
}

/** What the import would do, as its dry run has found out, and the button that begins it. */
export function CheckedStep({ job, onChange }: CheckedStepProps) {
  const { organization, showing } = useWorkspace()
  const { t } = showing.words
  const client = useQueryClient()
  const start = useMutation({
    mutationFn: () =>
      request('POST', `${pathOfImport(organization.id, job.id)}/start`, {
        body: startAfter(job),
        key: crypto.randomUUID(),
      }),
    // The answer may be lost: the import itself says whether it has begun.
    onSettled: () => client.invalidateQueries({ queryKey: importQuery(organization.id, job.id).queryKey }),
  })
  const found = useRef<HTMLDivElement>(null)
  useEffect(() => found.current?.focus(), [])
  const { counters } = job
  return (
    <ImportFrame
      job={job}
      step="check"
      actions={
        <Button look="primary" isDisabled={start.isPending} onPress={() => start.mutate()}>
          {
            // A field has the same name in English, and others in other languages.
            t('{what, select, other { Start}}', { what: 'import' })
          }
        </Button>
      }
    >
      <FailureBanner error={start.error} />
      <div ref={found} tabIndex={-1}>
        <Banner meaning={counters.failed === 0 ? 'success' : 'warning'}>
          <p>
            {counters.failed === 0
              ? t('Checked: every row can be imported. Nothing is written yet.')
              : t('Checked: {count, plural, one {one row} other {# rows}} would be refused. Nothing is written yet.', {
                  count: counters.failed,
                })}
          </p>
        </Banner>
      </div>
      <ImportCounts job={job} />
      <div>
        <Button onPress={onChange}>{t('Change the columns')}</Button>
      </div>
    </ImportFrame>
  )
}
