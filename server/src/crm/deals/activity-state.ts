import type { RecordHead } from '../../kernel/index.ts'

/** A deal activity in memory, as its rules see it. */
export interface ActivityState extends RecordHead {
  readonly type: 'note' | 'call' | 'meeting' | 'email' | 'message' | 'other'
  readonly subject: string | null
  readonly body: string | null
  readonly direction: 'inbound' | 'outbound' | null
  readonly occurredAt: string
  readonly durationSeconds: number | null
  readonly authorUuid: string | null
  readonly applicationId: string | null
}
