import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { FreshDialog } from '../account/fresh-dialog.tsx'
import { Failure, type RequestOptions, request } from '../api/index.ts'
import { directoriesQuery } from '../directories/directories.ts'
import { useWorkspace } from '../workspace/workspace.ts'

/** A change of a setting: the method, the path behind the organization, and the body if it takes one. */
export interface SettingChange {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: RequestOptions['body']
}

interface SettingChanges<Answer> {
  readonly make: (change: SettingChange) => void
  readonly isPending: boolean
  /** The answer to the last one. */
  readonly answer: Answer | undefined
  /** Why the last one was refused. */
  readonly error: Error | null
  /** Asks for the password when the sign-in is not fresh enough; then the change is made again. */
  readonly dialog: ReactNode
}

/** Makes changes of settings, one at a time, and reads anew what is shown. `onDone` gets the answer. */
export function useSettingChange<Answer>(onDone: (answer: Answer) => void): SettingChanges<Answer> {
  const { organization } = useWorkspace()
  const client = useQueryClient()
  const [waiting, setWaiting] = useState<SettingChange | null>(null)
  const change = useMutation({
    // An answer may have a secret, which is forgotten with what shows it.
    gcTime: 0,
    mutationFn: ({ method, path, body }: SettingChange) =>
      request<Answer>(method, `/o/${organization.id}/${path}`, { body: body ?? null }),
    onSuccess: onDone,
    onError(error, asked) {
      if (isStale(error)) setWaiting(asked)
    },
    onSettled: () => {
      // Lists and forms of records name what is set here.
      void client.invalidateQueries({ queryKey: directoriesQuery(organization.id).queryKey })
      return client.invalidateQueries({ queryKey: ['settings', organization.id] })
    },
  })
  const again = () => {
    setWaiting(null)
    if (waiting !== null) change.mutate(waiting)
  }
  return {
    make: asked => {
      if (!change.isPending) change.mutate(asked)
    },
    isPending: change.isPending,
    error: isStale(change.error) ? null : change.error,
    answer: change.data,
    dialog: waiting === null ? null : <FreshDialog onClose={() => setWaiting(null)} onFresh={again} />,
  }
}

function isStale(error: Error | null): boolean {
  return error instanceof Failure && error.code === 'fresh_sign_in_required'
}
