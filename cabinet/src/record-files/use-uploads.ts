import { useEffect, useRef, useState } from 'react'
import { Failure } from '../api/index.ts'
import type { usePartChanges } from '../parts/use-part-changes.ts'
import type { Kind } from '../records/kinds.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { type FailedFile, portionsOf, readVersion } from './record-file.ts'
import { sendFiles } from './send-files.ts'

/** What is under way, and what the server did not take. */
interface Uploads {
  readonly files: number
  readonly bytes: number
  readonly sent: number
  readonly isRunning: boolean
  readonly failed: readonly FailedFile[]
  readonly failure: Failure | null
}

const nothing: Uploads = { files: 0, bytes: 0, sent: 0, isRunning: false, failed: [], failure: null }
const mostTries = 3

/** Sends files to a record, portion by portion. A file changes nothing that others wrote, so that a newer version of the record is no conflict. */
export function useUploads(kind: Kind, record: string, change: ReturnType<typeof usePartChanges>) {
  const { organization } = useWorkspace()
  const [uploads, setUploads] = useState(nothing)
  const giveUp = useRef(new AbortController())
  useEffect(() => () => giveUp.current.abort(), [])

  const sendPortion = async (files: readonly File[], onProgress: (bytes: number) => void) => {
    for (let tries = 1; ; tries += 1) {
      const version = await readVersion(organization.id, kind, record)
      const sending = { organization: organization.id, kind, record, version, files, key: crypto.randomUUID() }
      try {
        return await sendFiles(sending, { signal: giveUp.current.signal, onProgress })
      } catch (error) {
        const isNewer = error instanceof Failure && error.code === 'version_conflict'
        if (!isNewer || tries === mostTries) throw error
      }
    }
  }

  const sendAll = async (files: readonly File[]) => {
    let gone = 0
    for (const portion of portionsOf(files)) {
      const size = portion.reduce((sum, file) => sum + file.size, 0)
      const { failed } = await sendPortion(portion, bytes =>
        setUploads(now => ({ ...now, sent: gone + Math.min(bytes, size) })),
      )
      gone += size
      setUploads(now => ({ ...now, sent: gone, failed: [...now.failed, ...failed] }))
    }
  }

  const start = async (files: readonly File[]) => {
    if (files.length === 0) return
    giveUp.current = new AbortController()
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    setUploads({ ...nothing, files: files.length, bytes, isRunning: true })
    await change(async () => {
      try {
        await sendAll(files)
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        if (!giveUp.current.signal.aborted) setUploads(now => ({ ...now, failure: error }))
      }
    })
    setUploads(now => ({ ...now, isRunning: false }))
  }
  return {
    ...uploads,
    start: (files: readonly File[]) => void start(files),
    stop: () => giveUp.current.abort(),
  }
}
