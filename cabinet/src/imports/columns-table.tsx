import { Badge, Select } from '../components/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import type { ImportPreview, PreviewColumn } from './import-job.ts'
import { fieldText, warningText } from './import-texts.ts'
import { type ImportPlan, withField } from './plan.rules.ts'

interface ColumnsTableProps {
  readonly preview: ImportPreview
  readonly plan: ImportPlan
  readonly onChange: (plan: ImportPlan) => void
}

/** The choice that leaves a column out. No field is called so. */
const nowhere = '-'

/** The columns of the file: what stands in them, the field that they go to, and what is doubtful about their values. */
export function ColumnsTable({ preview, plan, onChange }: ColumnsTableProps) {
  const workspace = useWorkspace()
  const { t } = workspace.showing.words
  const choices = [
    { id: nowhere, name: t('Leave out') },
    ...preview.fields.map(field => ({ id: field.key, name: fieldText(field, workspace) })),
  ]
  const nameOf = ({ name, index }: PreviewColumn) => name || t('Column {number}', { number: index + 1 })
  return (
    <div className="grid-plain">
      <table className="grid">
        <caption className="visually-hidden">{t('Columns of the file and the fields that they go to')}</caption>
        <colgroup>
          <col className="c-m" />
          <col className="col-wide" />
          <col className="c-xl" />
          <col className="c-l" />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">{t('Column')}</th>
            <th scope="col" className="col-wide">
              {t('First three rows')}
            </th>
            <th scope="col">{t('Goes to')}</th>
            <th scope="col">{t('Values')}</th>
          </tr>
        </thead>
        <tbody>
          {preview.columns.map(column => (
            <tr key={column.index} className="tall">
              <th scope="row">
                <span className="strong">{nameOf(column)}</span>
              </th>
              <td className="col-wide second">{column.samples.slice(0, 3).join(' · ') || '–'}</td>
              <td>
                <Select
                  label={t('Field for {name}', { name: nameOf(column) })}
                  hasHiddenLabel
                  choices={choices}
                  value={plan.fields[column.index] ?? nowhere}
                  onChange={key =>
                    onChange(withField(plan, column.index, key === nowhere || key === null ? null : String(key)))
                  }
                />
              </td>
              <td className="wrap">
                <ColumnState column={column} preview={preview} plan={plan} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface ColumnStateProps extends Omit<ColumnsTableProps, 'onChange'> {
  readonly column: PreviewColumn
}

/** What is doubtful about the values of a column, and what becomes of it. */
function ColumnState({ column: { index }, preview, plan }: ColumnStateProps) {
  const { showing } = useWorkspace()
  const { t } = showing.words
  const field = plan.fields[index]
  if (field === undefined) return <span className="muted">{t('Left out')}</span>
  const warnings = preview.warnings.filter(({ column }) => column === index)
  const { missing = 0 } = preview.missingCompanies ?? {}
  const isOfCompanies = field === 'companyName' && missing > 0
  return (
    <>
      {warnings.map(({ code, message, example }) => (
        <span key={code}>
          <Badge meaning="warning">{warningText(code, message, showing.words)}</Badge>
          {example === null ? null : <span className="sub">{example}</span>}
        </span>
      ))}
      {isOfCompanies ? (
        <>
          <Badge meaning="info">
            {t('{count, plural, one {One company is} other {# companies are}} not there', { count: missing })}
          </Badge>
          <span className="sub">
            {plan.missingCompany === 'create'
              ? t('Created and linked')
              : plan.missingCompany === 'leave_out'
                ? t('Left out')
                : t('Such rows are refused')}
          </span>
        </>
      ) : null}
      {warnings.length === 0 && !isOfCompanies ? <span className="muted">{t('Nothing doubtful')}</span> : null}
    </>
  )
}
