import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type Meta, request, requestAnswer } from '../api/index.ts'
import type { Meaning } from '../components/index.ts'
import type { Text } from '../words/index.ts'

/** A job of any type, as the list of all has it. */
export interface ListedJob {
  readonly id: string
  readonly type: string
  readonly status: string
  readonly subject: string
  readonly title: string
  readonly done: number
  readonly total: number | null
  readonly failed: number
  readonly dryRun: boolean
  readonly createdAt: string
  readonly finishedAt: string | null
  readonly application: { readonly name: string | null } | null
  readonly startedBy: { readonly name: string | null } | null
}

/** The jobs of an organization that wait or run, in their order, and the workers of the server. */
interface JobLine {
  readonly workers: number
  readonly ids: readonly string[]
}

/** When the pages that are shown are read again: soon while something is under way, and seldom otherwise. */
const [soon, seldom] = [2_000, 20_000]

/** Whether a job goes on without its user. */
export function isWorkedOn({ status }: Pick<ListedJob, 'status'>): boolean {
  return status === 'queued' || status === 'running' || status === 'canceling'
}

/** The jobs of an organization, the newest first. */
export function jobsQuery(organization: string) {
  return infiniteQueryOptions({
    queryKey: ['jobs', organization],
    queryFn: async ({ pageParam, signal }): Promise<{ readonly data: readonly ListedJob[]; readonly meta: Meta }> => {
      const query = pageParam === null ? {} : { cursor: pageParam }
      return requestAnswer<readonly ListedJob[]>('GET', `/o/${organization}/jobs`, { query, signal })
    },
    initialPageParam: startOfJobs(),
    getNextPageParam: last => last.meta.nextCursor ?? null,
    refetchInterval: ({ state: { data } }) =>
      // All pages are read, so more pages are read less often: the rate of requests stays the same.
      (data?.pages.some(({ data: jobs }) => jobs.some(isWorkedOn)) === true ? soon : seldom) *
      (data?.pages.length ?? 1),
  })
}

const startOfJobs = (): string | null => null

/** What waits before a job. */
export function lineQuery(organization: string) {
  return queryOptions({
    queryKey: ['job-line', organization],
    queryFn: ({ signal }) => request<JobLine>('GET', `/o/${organization}/jobs/line`, { signal }),
    refetchInterval: soon,
  })
}

const paths: Readonly<Record<string, string>> = { bulk_job: 'bulk-jobs', export: 'exports' }

/** How long the file of a dry run waits for the start: seven days after the upload (contract section 10.3). */
const waitingMilliseconds = 7 * 86_400_000

/** Whether a user can cancel a job: one that is not done, or an import whose file waits for the start. */
export function isCancelable(job: ListedJob, now: Date): boolean {
  if (isWorkedOn(job)) return job.status !== 'canceling'
  if (job.type !== 'import') return false
  if (job.status === 'uploaded' || job.status === 'ready') return true
  return isChecked(job) && job.startedBy !== null && now.getTime() < Date.parse(job.createdAt) + waitingMilliseconds
}

function isChecked({ status, dryRun }: Pick<ListedJob, 'status' | 'dryRun'>): boolean {
  return dryRun && (status === 'completed' || status === 'completed_with_errors')
}

/** Ends a job; what it has done stays. */
export function cancelListedJob(organization: string, { id, type }: ListedJob): Promise<unknown> {
  const path = type === 'import' ? `crm/imports/${id}/cancel` : `${paths[type] ?? type}/${id}/cancel`
  return request('POST', `/o/${organization}/${path}`, { key: crypto.randomUUID() })
}

const states: Readonly<Record<string, readonly [Text, Meaning]>> = {
  uploaded: ['Not started', 'plain'],
  ready: ['Not started', 'plain'],
  queued: ['Waiting', 'info'],
  running: ['Running', 'info'],
  canceling: ['Ending', 'info'],
  completed: ['Done', 'success'],
  completed_with_errors: ['Done with errors', 'warning'],
  canceled: ['Canceled', 'plain'],
  failed: ['Failed', 'danger'],
  expired: ['The file is gone', 'plain'],
}

/** The state of a job in words, and what it means. */
export function wordOfState(job: Pick<ListedJob, 'status' | 'dryRun'>): readonly [Text, Meaning] {
  if (isChecked(job)) return ['Checked, not started', 'info']
  return states[job.status] ?? ['Unknown', 'plain']
}

const titles: Readonly<Record<string, Readonly<Record<string, Text>>>> = {
  import: {
    contacts: 'Import contacts',
    companies: 'Import companies',
    company_contacts: 'Import contacts of companies',
    deal_contacts: 'Import contacts of deals',
    deal_companies: 'Import companies of deals',
  },
  export: {
    contacts: 'Export contacts',
    companies: 'Export companies',
    deals: 'Export deals',
    company_contacts: 'Export contacts of companies',
    deal_contacts: 'Export contacts of deals',
    deal_companies: 'Export companies of deals',
  },
  bulk_job: {
    contact: 'Change contacts',
    company: 'Change companies',
    deal: 'Change deals',
    task: 'Change tasks',
  },
}

/** What a job does. */
export function titleOfJob({ type, subject }: Pick<ListedJob, 'type' | 'subject'>): Text {
  return titles[type]?.[subject] ?? 'Job'
}

/** What the rows of a file are about. */
export const nameOfRows: Readonly<Record<string, Text>> = {
  contacts: 'Contacts',
  companies: 'Companies',
  deals: 'Deals',
  company_contacts: 'Contacts of companies',
  deal_contacts: 'Contacts of deals',
  deal_companies: 'Companies of deals',
}
