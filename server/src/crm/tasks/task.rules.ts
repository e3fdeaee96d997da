import { isLater, type OrganizationSettings, type Refusal, violates } from '../../kernel/schema/index.ts'

interface TaskState {
  readonly status: 'todo' | 'in_progress' | 'done' | 'canceled'
  readonly startAt: string | null
  readonly dueDate: string | null
  readonly completedAt: string | null
}

interface Context<State> {
  readonly previous: State | null
  readonly write: { readonly configuration: { readonly organization: OrganizationSettings }; readonly now: string }
}

/** Rules for tasks beyond those of their fields (contract section 6.4). */
export const taskRules = {
  forbids: 'The task would start after its due date.',

  settle<State extends TaskState>(next: State, { previous, write }: Context<State>): State | Refusal {
    const { organization } = write.configuration
    return refuseLateStart(next, previous, organization) ?? { ...next, completedAt: completedAt(next, previous, write) }
  },
}

/** Only values in the request are checked: a task that became invalid when the organization changed its time zone can still be changed. */
function refuseLateStart(
  { startAt, dueDate }: TaskState,
  previous: TaskState | null,
  { timeZone }: OrganizationSettings,
): Refusal | null {
  if (startAt === null || dueDate === null || !isLater(startAt, dueDate, timeZone)) return null
  if (startAt === previous?.startAt && dueDate === previous.dueDate) return null
  return violates('/startAt', 'order', 'The task would start after its due date')
}

/** Any status may follow any other. Setting the status to done sets the time of completion; any other status clears it. */
function completedAt(next: TaskState, previous: TaskState | null, { now }: { readonly now: string }): string | null {
  if (next.status !== 'done') return null
  return previous?.status === 'done' ? next.completedAt : now
}
