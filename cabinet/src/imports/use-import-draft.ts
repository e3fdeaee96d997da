import { useState } from 'react'
import type { FileReading } from './import-job.ts'
import type { ImportPlan } from './plan.rules.ts'

/** What was chosen for an import and not sent yet. */
export interface ImportDraft {
  readonly reading: FileReading
  /** Null where nothing was changed. */
  readonly plan: ImportPlan | null
}

const empty: ImportDraft = { reading: {}, plan: null }

/** The choices for an import. They stay in the tab, so that a reload loses none of them. */
export function useImportDraft(id: string): {
  readonly draft: ImportDraft
  readonly keep: (next: ImportDraft) => void
} {
  const name = `crm-import-${id}`
  const [draft, setDraft] = useState(() => readDraft(name))
  const keep = (next: ImportDraft) => {
    setDraft(next)
    try {
      sessionStorage.setItem(name, JSON.stringify(next))
    } catch {
      // A store that is full keeps nothing, and the page goes on.
    }
  }
  return { draft, keep }
}

function readDraft(name: string): ImportDraft {
  try {
    return { ...empty, ...JSON.parse(sessionStorage.getItem(name) ?? '{}') }
  } catch {
    return empty
  }
}
