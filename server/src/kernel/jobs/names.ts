import type { Job } from './job.ts'

const usualAttempts = 8

/** The number of attempts for each chunk of the job. */
export function attemptsOf({ attempts = usualAttempts }: Pick<Job, 'attempts'>): number {
  return attempts
}

/** What jobs have in the place of an organization that are the installation's: nothing. */
export const noOrganization = ''

/** The queue of a kind and organization. Jobs of one queue run one after another. */
export function queueOf(name: string, organizationId: string): string {
  return `${name}/${organizationId}`
}

/** Identifies a job within the whole installation. */
export function keyOf(name: string, organizationId: string, key: string): string {
  return `${queueOf(name, organizationId)}/${key}`
}
