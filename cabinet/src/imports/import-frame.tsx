import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { Banner } from '../components/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { type ImportJob, type ImportStep, importSteps } from './import-job.ts'
import { nameOfStep, titleOfEntity } from './import-texts.ts'

interface FrameProps {
  readonly job: Pick<ImportJob, 'entityType' | 'fileName'>
  readonly step: ImportStep
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** What is around each step of an import. It says why there is nothing else for somebody who may not import. */
export function ImportFrame({ job, step, actions, children }: FrameProps) {
  const { organization, showing, may } = useWorkspace()
  const { t } = showing.words
  const title = t(titleOfEntity[job.entityType])
  const isAllowed = may('crm_import_manage')
  const at = importSteps.indexOf(step)
  return (
    <main className="main">
      <title>{`${title} · ${organization.name}`}</title>
      <div className="page-head">
        <h1 tabIndex={-1}>{title}</h1>
        <span className="muted mono">{job.fileName}</span>
        {isAllowed ? <div className="page-actions">{actions}</div> : null}
      </div>
      {isAllowed ? (
        <ol className="steps" aria-label={t('Steps')}>
          {importSteps.map((each, index) => (
            <li key={each} aria-current={each === step ? 'step' : undefined} className={index < at ? 'is-done' : ''}>
              <span className="step-mark" aria-hidden="true">
                {index < at ? <Check className="icon icon-small" /> : index + 1}
              </span>
              {t(nameOfStep[each])}
            </li>
          ))}
        </ol>
      ) : null}
      <div className="page-body stack">
        {isAllowed ? (
          children
        ) : (
          <Banner meaning="warning">
            <p>{t('Your role cannot import files. An owner of the organization can give you one that can.')}</p>
          </Banner>
        )}
      </div>
    </main>
  )
}
