import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { request } from '../api/index.ts'
import { Banner, Button, FailureBanner, Skeleton } from '../components/index.ts'
import { formatNumber } from '../format/formats.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { ColumnsTable } from './columns-table.tsx'
import { ImportFrame } from './import-frame.tsx'
import {
  type ImportJob,
  type ImportPreview,
  type ImportSetup,
  importQuery,
  pathBesideImport,
  pathOfImport,
} from './import-job.ts'
import { importFailureText, warningText } from './import-texts.ts'
import { earlierPlan, startBodyOf, suggestedPlan } from './plan.rules.ts'
import { PlanFields } from './plan-fields.tsx'
import { ReadingFields } from './reading-fields.tsx'
import { useImportDraft } from './use-import-draft.ts'

interface ColumnsStepProps {
  readonly job: ImportJob
  /** Called when a check begins. */
  readonly onChecking: () => void
}

/** What goes where: the columns of the file and their fields, and what becomes of what does not fit. */
export function ColumnsStep({ job, onChecking }: ColumnsStepProps) {
  const { organization, showing } = useWorkspace()
  const { t, language } = showing.words
  const client = useQueryClient()
  const { draft, keep } = useImportDraft(job.id)
  const {
    data: preview,
    error,
    isFetching,
  } = useQuery({
    queryKey: ['import-preview', organization.id, job.id, draft.reading],
    queryFn: ({ signal }) =>
      request<ImportPreview>('POST', `${pathOfImport(organization.id, job.id)}/preview`, {
        body: { ...draft.reading, sampleSize: 3 },
        key: crypto.randomUUID(),
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    placeholderData: keepPreviousData,
  })
  const setupKey = ['import-setup', organization.id, job.id, preview?.columns]
  const { data: setup, error: setupError } = useQuery({
    queryKey: setupKey,
    queryFn: ({ signal }) =>
      request<ImportSetup>('GET', pathBesideImport(organization.id, job.id, 'setup'), { signal }),
    enabled: preview !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const importKey = importQuery(organization.id, job.id).queryKey
  // A preview after a dry run makes the import wait for a start again.
  useEffect(() => {
    if (preview !== undefined) void client.invalidateQueries({ queryKey: importKey })
  }, [preview])
  const check = useMutation({
    mutationFn: (body: unknown) =>
      request('POST', `${pathOfImport(organization.id, job.id)}/start`, { body, key: crypto.randomUUID() }),
    onSuccess: onChecking,
    onSettled: () => client.invalidateQueries({ queryKey: importKey }),
  })
  const setKeys = useMutation({
    mutationFn: (applicationId: string | null) =>
      request('PATCH', pathBesideImport(organization.id, job.id, 'setup'), {
        body: { applicationId },
        key: crypto.randomUUID(),
      }),
    onSettled: () => client.invalidateQueries({ queryKey: importKey }),
  })
  if (preview === undefined || setup === undefined) {
    return (
      <ImportFrame job={job} step="columns">
        <FailureBanner error={setupError} />
        {error === null && setupError === null ? <Skeleton /> : null}
        {error === null ? null : (
          <Banner meaning="danger" isAlert>
            <p>{importFailureText(error, showing.words)}</p>
          </Banner>
        )}
        {error === null ? null : (
          <ReadingFields
            preview={undefined}
            reading={draft.reading}
            onChange={reading => keep({ reading, plan: null })}
          />
        )}
      </ImportFrame>
    )
  }
  const before = earlierPlan(job, preview) ?? earlierPlan(setup.earlier, preview)
  const plan = draft.plan ?? before ?? suggestedPlan(preview)
  return (
    <ImportFrame
      job={job}
      step="columns"
      actions={
        <Button
          look="primary"
          // The ids belong to whom the page says before the check begins.
          isDisabled={isFetching || check.isPending || setKeys.isPending}
          onPress={() => check.mutate(startBodyOf(plan, true))}
        >
          {t('Check')}
        </Button>
      }
    >
      {check.error === null ? null : (
        <Banner meaning="danger" isAlert>
          <p>{importFailureText(check.error, showing.words)}</p>
        </Banner>
      )}
      {error === null ? null : (
        <Banner meaning="danger" isAlert>
          <p>{importFailureText(error, showing.words)}</p>
        </Banner>
      )}
      <FailureBanner error={setKeys.error} />
      <Banner>
        <p>
          {t('Rows: {rows}, columns: {columns}. Nothing is written before you start: the check only reads.', {
            rows: formatNumber(preview.rowCount, language),
            columns: formatNumber(preview.columns.length, language),
          })}
        </p>
        {draft.plan === null && setup.earlier !== null && before !== null ? (
          <p>{t('Set as for {name}, which had the same columns.', { name: setup.earlier.fileName })}</p>
        ) : null}
        {preview.warnings
          .filter(({ column }) => column === null)
          .map(({ code, message }) => (
            <p key={code}>{warningText(code, message, showing.words)}</p>
          ))}
      </Banner>
      <ReadingFields preview={preview} reading={draft.reading} onChange={reading => keep({ reading, plan: null })} />
      <ColumnsTable preview={preview} plan={plan} onChange={next => keep({ ...draft, plan: next })} />
      <PlanFields
        job={job}
        preview={preview}
        setup={setup}
        plan={plan}
        onChange={next => keep({ ...draft, plan: next })}
        onKeys={owner => setKeys.mutate(owner)}
      />
    </ImportFrame>
  )
}
