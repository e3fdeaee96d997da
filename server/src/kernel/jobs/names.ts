import type { Job } from './job.ts'

const usualAttempts = 8

/** How often a chunk of the job is tried. */
export function attemptsOf({ attempts = usualAttempts }: Pick<Job, 'attempts'>): number {
  return attempts
}

/** Jobs of one queue run one after another: those of a kind and organization. */
export function queueOf(name: string, organizationId: string): string {
  return `${name}/${organizationId}`
}

/** Names one job in the whole installation. */
export function keyOf(name: string, organizationId: string, key: string): string {
  return `${queueOf(name, organizationId)}/${key}`
}
