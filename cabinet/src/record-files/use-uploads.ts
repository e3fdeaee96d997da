import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { Failure, type Me, meQuery } from '../api/index.ts'
import { showToast } from '../components/index.ts'
import { usePartRefresh } from '../parts/use-part-changes.ts'
import type { Kind } from '../records/kinds.ts'
import { useMe } from '../shell/use-me.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { readVersion } from './record-file.ts'
import { sendFiles } from './send-files.ts'
import { createUploadQueue, type PortionWay } from './upload-queue.ts'

type Queue = ReturnType<typeof createUploadQueue<File>>

/** The uploads of each record that is looked at, or to which files are still sent: leaving the record does not stop them. */
const queues = new Map<string, Queue>()
const mostTries = 3

/** Sends files to a record. A file changes nothing that others wrote, so that a newer version of the record is no conflict. */
export function useUploads(kind: Kind, record: string) {
  const { organization, showing } = useWorkspace()
  const client = useQueryClient()
  const { user } = useMe()
  const refresh = usePartRefresh(kind, record)
  const name = [user.id, organization.id, kind, record].join('/')
  const [queue] = useState(() => queues.get(name) ?? createUploadQueue<File>())
  useEffect(() => {
    queues.set(name, queue)
    return () => {
      if (!queue.now().isRunning) queues.delete(name)
    }
  }, [name, queue])
  const uploads = useSyncExternalStore(queue.subscribe, queue.now)

  const send = async (files: readonly File[], way: PortionWay) => {
    for (let tries = 1; ; tries += 1) {
      // Nothing is sent in the name of another person who has signed in meanwhile.
      if (client.getQueryData<Me>(meQuery.queryKey)?.user.id !== user.id) {
        throw new Failure('not_signed_in', 401, 'Another user has signed in', {}, null)
      }
      const version = await readVersion(organization.id, kind, record, way.signal)
      const sending = { organization: organization.id, kind, record, version, files, key: crypto.randomUUID() }
      try {
        return await sendFiles(sending, way)
      } catch (error) {
        const isNewer = error instanceof Failure && error.code === 'version_conflict'
        if (!isNewer || tries === mostTries) throw error
      }
    }
  }
  const onUnsaved = (count: number) => {
    const { t } = showing.words
    showToast({ text: t('{count, plural, one {# file was not saved.} other {# files were not saved.}}', { count }) })
  }
  return {
    ...uploads,
    add: (files: readonly File[]) => queue.add(files, { send, onPortion: refresh, onUnsaved }),
    stop: queue.stop,
  }
}
