import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLive } from '../live/index.ts'
import { type Kind, kindFacts } from '../records/kinds.ts'
import type { RecordState } from '../records/record.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { actorOf } from './actor.ts'

/** A version that others made while the page shows an older one. */
export interface NewerVersion {
  readonly version: number
  readonly by: string
  readonly at: string
}

/**
 * What came of the record since it was read: told, and not shown before the reader wants it. `onGone` is called when it was deleted, merged
 * into another one or erased.
 */
export function useNewerVersion(
  organization: string,
  kind: Kind,
  record: RecordState,
  onGone: () => void,
): NewerVersion | null {
  const client = useQueryClient()
  const { directories, showing } = useWorkspace()
  const [newer, setNewer] = useState<NewerVersion | null>(null)
  useLive(organization, message => {
    if (message.type === 'reset') void client.invalidateQueries({ queryKey: ['sheet', organization, kind, record.id] })
    if (message.type !== 'change') return
    const { resourceType, resourceId, operation, version, ...actor } = message.change
    if (resourceType !== kindFacts[kind].singular || resourceId !== record.id) return
    if (operation === 'deleted' || operation === 'anonymized') return onGone()
    if (version === null) return
    setNewer({ version, by: actorOf(actor, directories, showing.words.t), at: new Date().toISOString() })
  })
  return newer !== null && newer.version > record.version ? newer : null
}
