import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { FailureBanner, Skeleton } from '../components/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { CheckedStep } from './checked-step.tsx'
import { ColumnsStep } from './columns-step.tsx'
import { ImportFrame } from './import-frame.tsx'
import { importQuery, importStepOf } from './import-job.ts'
import { ResultStep } from './result-step.tsx'
import { RunningStep } from './running-step.tsx'
import './imports.css'

/** An import from its columns to its result. The address is that of the job, so that a reload shows the step that it is at. */
export function ImportPage() {
  const { organization, may } = useWorkspace()
  const { id = '' } = useParams({ strict: false })
  const query = useQuery({ ...importQuery(organization.id, id), enabled: may('crm_import_manage') })
  const { data: job, error } = query
  /** Whether the columns are changed once more after a check. */
  const [isChanging, setChanging] = useState(false)
  const place = job === undefined ? null : `${importStepOf(job)} ${job.undo?.status}`
  const placeBefore = useRef(place)
  useEffect(() => {
    // The button that led here is gone, and the focus with it. A page that has just been opened leaves the focus alone.
    const isNext = placeBefore.current !== null && placeBefore.current !== place
    if (isNext && document.activeElement === document.body) document.querySelector('h1')?.focus()
    placeBefore.current = place
  }, [place])
  if (job === undefined) {
    return (
      <ImportFrame job={{ entityType: 'contacts', fileName: '' }} step="file">
        {error === null ? <Skeleton /> : <FailureBanner error={error} />}
      </ImportFrame>
    )
  }
  const step = importStepOf(job)
  if (step === 'columns' || (isChanging && step === 'check' && job.finishedAt !== null))
    return <ColumnsStep key={job.id} job={job} onChecking={() => setChanging(false)} />
  if (job.finishedAt === null) return <RunningStep job={job} step={step} />
  if (step === 'check') return <CheckedStep job={job} onChange={() => setChanging(true)} />
  return <ResultStep job={job} />
}
