import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { request } from '../api/index.ts'
import { Banner, Button, FailureBanner, Progress } from '../components/index.ts'
import { formatNumber } from '../format/formats.ts'
import { lineQuery } from '../jobs/jobs.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { ImportFrame } from './import-frame.tsx'
import { type ImportJob, type ImportStep, importQuery, pathOfImport } from './import-job.ts'

/** How far a check or an import has come, and what is before it. */
export function RunningStep({ job, step }: { readonly job: ImportJob; readonly step: ImportStep }) {
  const { organization, showing } = useWorkspace()
  const { t, language } = showing.words
  const client = useQueryClient()
  const { data: line } = useQuery(lineQuery(organization.id))
  const cancel = useMutation({
    mutationFn: () => request('POST', `${pathOfImport(organization.id, job.id)}/cancel`, { key: crypto.randomUUID() }),
    onSettled: () => client.invalidateQueries({ queryKey: importQuery(organization.id, job.id).queryKey }),
  })
  const { total, pending } = job.counters
  const place = line?.ids.indexOf(job.id) ?? -1
  return (
    <ImportFrame job={job} step={step}>
      <FailureBanner error={cancel.error} />
      {line?.workers === 0 ? (
        <Banner meaning="warning" isAlert>
          <p>{t('No worker runs on the server, so nothing begins. The operator of the server can start one.')}</p>
        </Banner>
      ) : null}
      <Progress
        label={job.dryRun ? t('Checking, nothing is written') : t('Importing')}
        value={total - pending}
        most={total}
        text={t('{done} of {count}', {
          done: formatNumber(total - pending, language),
          count: formatNumber(total, language),
        })}
      />
      <p className="second" role="status">
        {job.status === 'queued' && place > 0
          ? t('{count, plural, one {One job is} other {# jobs are}} before it.', { count: place })
          : job.status === 'canceling'
            ? t('It ends as soon as the rows at hand are done.')
            : t('You can leave this page: the work goes on.')}
      </p>
      <div>
        <Button isDisabled={cancel.isPending || job.status === 'canceling'} onPress={() => cancel.mutate()}>
          {t('Cancel')}
        </Button>
      </div>
    </ImportFrame>
  )
}
