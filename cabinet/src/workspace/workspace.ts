import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { Membership } from '../api/index.ts'
import { type Directories, directoriesQuery } from '../directories/directories.ts'
import type { Showing } from '../records/field-value.tsx'
import { useOrganization } from '../shell/use-me.ts'
import { useWords } from '../words/index.ts'

/** What every page of an organization works with. */
export interface Workspace {
  readonly organization: Membership
  readonly directories: Directories
  readonly showing: Showing
  /** Whether the person's role has a right. */
  readonly may: (permission: string) => boolean
}

const none: Directories = { pipelines: [], lostReasonCategories: [] }

/** The workspace of the page. Directories are empty until they are read. */
export function useWorkspace(): Workspace {
  const organization = useOrganization()
  if (organization === undefined) throw new Error('a page of an organization is shown outside of one')
  const words = useWords()
  const now = useNow()
  const { data: directories = none } = useQuery(directoriesQuery(organization.id))
  const { language, t } = words
  return useMemo(
    () => ({
      organization,
      directories,
      showing: { words: { language, t }, directories, now },
      may: permission => organization.permissions.includes(permission),
    }),
    // The function that says texts is another one each time; it changes with the language.
    [organization, directories, now, language],
  )
}

const tick = 30_000

/** The time, told anew each half minute, so that `2 min` becomes `3 min`. */
function useNow(): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), tick)
    return () => clearInterval(timer)
  }, [])
  return now
}
