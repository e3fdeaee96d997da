import { formatNumber } from '../format/formats.ts'
import type { Text } from '../words/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import type { ImportJob } from './import-job.ts'
import { rowErrorText } from './import-texts.ts'

const names: readonly (readonly [keyof ImportJob['counters'], Text])[] = [
  ['total', 'Rows'],
  ['created', 'Created rows'],
  ['updated', 'Updated rows'],
  ['unchanged', 'Unchanged'],
  ['skipped', 'Skipped'],
  ['failed', 'Refused'],
]

/** The numbers of an import or of its dry run, and its first errors by the rows of the file. */
export function ImportCounts({ job }: { readonly job: ImportJob }) {
  const { showing } = useWorkspace()
  const { t, language } = showing.words
  const { counters, createdCompanies, errors, errorsFileUrl } = job
  return (
    <>
      <dl className="counters">
        {names.map(([name, text]) => (
          <div key={name}>
            <dt>{t(text)}</dt>
            <dd>{formatNumber(counters[name], language)}</dd>
          </div>
        ))}
        {createdCompanies > 0 ? (
          <div>
            <dt>{t('Created companies')}</dt>
            <dd>{formatNumber(createdCompanies, language)}</dd>
          </div>
        ) : null}
      </dl>
      {errors.length === 0 ? null : (
        <section className="stack stack-2" aria-labelledby="row-errors">
          <div className="row-flex">
            <h2 id="row-errors">{t('Errors by row')}</h2>
            {errorsFileUrl === undefined ? null : (
              <a className="push" href={errorsFileUrl} download>
                {t('Download all errors')}
              </a>
            )}
          </div>
          <ErrorTable errors={errors} />
        </section>
      )}
    </>
  )
}

/** The most errors that the page shows; the file has all. */
const mostShown = 20

function ErrorTable({ errors }: Pick<ImportJob, 'errors'>) {
  const { showing } = useWorkspace()
  const { t, language } = showing.words
  const first = errors.toSorted((one, other) => one.row - other.row).slice(0, mostShown)
  return (
    <div className="grid-plain">
      <table className="grid" aria-labelledby="row-errors">
        <thead>
          <tr>
            <th scope="col">{t('Row')}</th>
            <th scope="col">{t('Column')}</th>
            <th scope="col">{t('What is wrong')}</th>
            <th scope="col">{t('Value')}</th>
          </tr>
        </thead>
        <tbody>
          {first.map(({ row, column, code, value, outcome }, index) => (
            // An error has no id, and a row can have several in one column.
            <tr key={`${row}/${index}`}>
              <th scope="row">{t('Row {number}', { number: formatNumber(row, language) })}</th>
              <td>{column}</td>
              <td className="wrap">
                {rowErrorText(code, showing.words)}
                {outcome === 'left_out' ? <span className="sub">{t('The cell is left out')}</span> : null}
              </td>
              <td className="second">{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
