import { Link } from 'react-aria-components'
import { Badge, Button } from '../components/index.ts'
import { formatAgo, formatMoment, formatNumber } from '../format/formats.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { isCancelable, type ListedJob, titleOfJob, wordOfState } from './jobs.ts'

interface JobRowProps {
  readonly job: ListedJob
  /** How many jobs of the organization are before it. */
  readonly place: number
  readonly isBusy: boolean
  readonly onCancel: () => void
  readonly onDownload: () => void
}

/** A job in the list, with what can be done with it. */
export function JobRow({ job, place, isBusy, onCancel, onDownload }: JobRowProps) {
  const { organization, showing } = useWorkspace()
  const { t, language } = showing.words
  const [state, meaning] = wordOfState(job)
  const title = t(titleOfJob(job))
  const number = (value: number) => formatNumber(value, language)
  // What a bulk job does is a word for programs; its subject says enough.
  const file = job.type === 'bulk_job' ? null : job.title
  return (
    <tr className="tall">
      <th scope="row">
        {job.type === 'import' ? (
          <Link href={`/o/${organization.id}/imports/${job.id}`}>{title}</Link>
        ) : (
          <span className="strong">{title}</span>
        )}
        {file === null ? null : <span className="sub">{file}</span>}
      </th>
      <td>
        <Badge meaning={meaning}>{t(state)}</Badge>
        {job.status === 'queued' && place > 0 ? (
          <span className="sub">
            {t('{count, plural, one {One job is} other {# jobs are}} before it.', { count: place })}
          </span>
        ) : null}
      </td>
      <td>
        {job.total === null ? '–' : t('{done} of {count}', { done: number(job.done), count: number(job.total) })}
        {job.failed > 0 ? <span className="sub">{t('{count} refused', { count: number(job.failed) })}</span> : null}
      </td>
      <td className="second">{job.startedBy?.name ?? job.application?.name ?? '–'}</td>
      <td>
        <time dateTime={job.createdAt} title={formatMoment(job.createdAt, language)}>
          {formatAgo(job.createdAt, language, showing.now)}
        </time>
      </td>
      <td className="num">
        {isCancelable(job, showing.now) ? (
          <Button isSmall isDisabled={isBusy} aria-label={t('Cancel {name}', { name: title })} onPress={onCancel}>
            {t('Cancel')}
          </Button>
        ) : null}
        {job.type === 'export' && job.status === 'completed' ? (
          <Button
            isSmall
            isDisabled={isBusy}
            aria-label={t('Download {name}', { name: job.title })}
            onPress={onDownload}
          >
            {t('Download')}
          </Button>
        ) : null}
      </td>
    </tr>
  )
}
