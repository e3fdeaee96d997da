import { Checkbox, Select } from '../components/index.ts'
import type { Text } from '../words/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import type { ImportJob, ImportPreview, ImportSetup } from './import-job.ts'
import { type ImportPlan, matchKeysFor, withMatch } from './plan.rules.ts'

interface PlanFieldsProps {
  readonly job: ImportJob
  readonly preview: ImportPreview
  readonly setup: ImportSetup
  readonly plan: ImportPlan
  readonly onChange: (plan: ImportPlan) => void
  /** Says whose ids the file has; null for those of the file. */
  readonly onKeys: (applicationId: string | null) => void
}

type Words = readonly (readonly [id: string, text: Text])[]

const strategies: Words = [
  ['create_or_update', 'Update it'],
  ['skip_existing', 'Skip the row'],
  ['create_only', 'Refuse the row'],
  ['update_only', 'Update it, and create none'],
]
const conflicts: Words = [
  ['fill_empty', 'Fill what is empty'],
  ['overwrite', 'Replace values'],
]
const missingCompanies: Words = [
  ['create', 'Create it'],
  ['leave_out', 'Leave it out'],
  ['refuse', 'Refuse the row'],
]
const missingTags: Words = [
  ['refuse', 'Refuse the row'],
  ['leave_out', 'Leave it out'],
]
const invalidCells: Words = [
  ['refuse_row', 'Refuse the row'],
  ['leave_out', 'Leave it out'],
]
const dateFormats: Words = [
  ['auto', 'As the column shows'],
  ['DMY', 'Day, month, year'],
  ['MDY', 'Month, day, year'],
  ['YMD', 'Year, month, day'],
]
const decimalMarks: Words = [
  ['auto', 'As the column shows'],
  [',', 'Comma'],
  ['.', 'Point'],
]

const matchNames: Readonly<Record<string, Text>> = {
  uuid: 'ID',
  externalId: 'External ID',
  email: 'E-mail',
  phone: 'Phone',
  taxId: 'Tax ID',
  name: 'Name',
}

/** The owner of ids that only the file knows. */
const ofFile = 'file'

/** What becomes of rows whose records are there, of what is missing, and of what cannot be read. */
export function PlanFields({ job, preview, setup, plan, onChange, onKeys }: PlanFieldsProps) {
  const { t } = useWorkspace().showing.words
  const mapped = Object.values(plan.fields)
  const types = new Set(preview.fields.filter(({ key }) => mapped.includes(key)).map(({ type }) => type))
  const has = (...fields: readonly string[]) => fields.some(field => mapped.includes(field))
  const choose = (name: keyof ImportPlan, label: Text, words: Words) => (
    <Select
      label={t(label)}
      choices={words.map(([id, text]) => ({ id, name: t(text) }))}
      value={String(plan[name])}
      onChange={key => onChange({ ...plan, [name]: key })}
    />
  )
  const matchKeys = matchKeysFor(plan.fields)
  const owners = [{ id: ofFile, name: t('This file') }, ...setup.applications.map(({ id, name }) => ({ id, name }))]
  return (
    <div className="import-plan">
      {choose('strategy', 'The record is there already', strategies)}
      {choose('onConflict', 'It has another value', conflicts)}
      {has('companyName', 'companyExternalId')
        ? choose('missingCompany', 'The company is not there', missingCompanies)
        : null}
      {has('tags') ? choose('missingTag', 'The tag is not there', missingTags) : null}
      {choose('onInvalidCell', 'A cell cannot be read', invalidCells)}
      {types.has('date') || types.has('datetime') ? choose('dateFormat', 'Date format', dateFormats) : null}
      {types.has('integer') || types.has('decimal') ? choose('decimalMark', 'Decimal mark', decimalMarks) : null}
      {has('externalId', 'companyExternalId', 'contactExternalId', 'dealExternalId') ? (
        <Select
          label={t('Ids in the file belong to')}
          choices={owners}
          value={owners.some(({ id }) => id === job.applicationId) ? job.applicationId : ofFile}
          onChange={key => onKeys(key === ofFile || key === null ? null : String(key))}
        />
      ) : null}
      {matchKeys.length === 0 ? null : (
        <fieldset className="import-match">
          <legend className="label">{t('Records are found by')}</legend>
          {matchKeys.map(key => (
            <Checkbox
              key={key}
              isSelected={plan.matchBy.includes(key)}
              onChange={isSelected => onChange(withMatch(plan, key, isSelected))}
            >
              {t(matchNames[key] ?? 'ID')}
            </Checkbox>
          ))}
        </fieldset>
      )}
    </div>
  )
}
