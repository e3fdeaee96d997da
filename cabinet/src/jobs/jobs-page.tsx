import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ListTodo } from 'lucide-react'
import { request } from '../api/index.ts'
import { Banner, Button, ButtonLink, Empty, FailureBanner, Skeleton, showToast } from '../components/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { JobRow } from './job-row.tsx'
import { cancelListedJob, isWorkedOn, jobsQuery, type ListedJob, lineQuery } from './jobs.ts'
import './jobs.css'

/** Imports, exports and bulk jobs: how far they are, who has started them, and what has come of them. */
export function JobsPage() {
  const { organization, showing, may } = useWorkspace()
  const { t } = showing.words
  const client = useQueryClient()
  const query = useInfiniteQuery(jobsQuery(organization.id))
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const jobs = data?.pages.flatMap(page => page.data) ?? []
  const isWaiting = jobs.some(isWorkedOn)
  const { data: line } = useQuery({ ...lineQuery(organization.id), enabled: isWaiting })
  const refresh = () => client.invalidateQueries({ queryKey: jobsQuery(organization.id).queryKey })
  const cancel = useMutation({
    mutationFn: (job: ListedJob) => cancelListedJob(organization.id, job),
    onSettled: refresh,
  })
  const download = useMutation({
    mutationFn: ({ id }: ListedJob) =>
      request<{ readonly downloadUrl?: string; readonly fileName: string }>(
        'GET',
        `/o/${organization.id}/crm/exports/${id}`,
      ),
    onSuccess({ downloadUrl, fileName }) {
      if (downloadUrl === undefined) {
        showToast({ text: t('The file is gone') })
        return refresh()
      }
      const link = document.createElement('a')
      Object.assign(link, { href: downloadUrl, download: fileName })
      link.click()
      return undefined
    },
  })
  const title = t('Jobs')
  return (
    <main className="main">
      <title>{`${title} · ${organization.name}`}</title>
      <div className="page-head">
        <h1>{title}</h1>
        <div className="page-actions">
          {may('crm_import_manage') ? (
            <ButtonLink look="primary" href={`/o/${organization.id}/imports/new?kind=contacts`}>
              {t('Import')}
            </ButtonLink>
          ) : null}
        </div>
      </div>
      <div className="page-body stack">
        <FailureBanner error={cancel.error ?? download.error ?? error} />
        {isWaiting && line?.workers === 0 ? (
          <Banner meaning="warning" isAlert>
            <p>{t('No worker runs on the server, so nothing begins. The operator of the server can start one.')}</p>
          </Banner>
        ) : null}
        {data === undefined && error === null ? <Skeleton /> : null}
        {data !== undefined && jobs.length === 0 ? (
          <Empty icon={<ListTodo className="icon" />} title={t('No jobs yet.')}>
            {t('Imports, exports and changes of many records are listed here.')}
          </Empty>
        ) : null}
        {jobs.length === 0 ? null : (
          <div className="grid-plain">
            <table className="grid jobs">
              <caption className="visually-hidden">{title}</caption>
              <thead>
                <tr>
                  <th scope="col">{t('Job')}</th>
                  <th scope="col">{t('Status')}</th>
                  <th scope="col">{t('Progress')}</th>
                  <th scope="col">{t('Started by')}</th>
                  <th scope="col">{t('Created')}</th>
                  <th scope="col">
                    <span className="visually-hidden">{t('What can be done')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {jobs.map(job => (
                  <JobRow
                    key={job.id}
                    job={job}
                    place={line?.ids.indexOf(job.id) ?? -1}
                    isBusy={cancel.isPending || download.isPending}
                    onCancel={() => cancel.mutate(job)}
                    onDownload={() => download.mutate(job)}
                  />
                ))}
              </tbody>
            </table>
          </div>
        )}
        {hasNextPage ? (
          <div>
            <Button isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>
              {t('Show older ones')}
            </Button>
          </div>
        ) : null}
      </div>
    </main>
  )
}
