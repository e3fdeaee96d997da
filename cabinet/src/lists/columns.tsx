import { Columns3 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../components/index.ts'
import { allFields } from '../editing/custom-fields.ts'
import type { Kind } from '../records/kinds.ts'
import { labelOf } from '../records/labels.ts'
import { ChoiceDialog } from '../workspace/choice-dialog.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { initialColumns } from './views.rules.ts'

/** The columns of a list, remembered in this browser. None: those of the beginning. */
export function useChosenColumns(kind: Kind): [readonly string[], (paths: readonly string[]) => void] {
  const key = `crm-columns/${kind}`
  const [all, setAll] = useState<Readonly<Record<string, readonly string[]>>>({})
  const stored = all[key] ?? parse(localStorage.getItem(key))
  const choose = (paths: readonly string[]) => {
    setAll({ ...all, [key]: paths })
    if (paths.length === 0) localStorage.removeItem(key)
    else localStorage.setItem(key, paths.join(' '))
  }
  return [stored.length === 0 ? initialColumns(kind) : stored, choose]
}

function parse(stored: string | null): readonly string[] {
  return stored === null || stored === '' ? [] : stored.split(' ')
}

interface ColumnsProps {
  readonly kind: Kind
  readonly columns: readonly string[]
  readonly onChange: (paths: readonly string[]) => void
}

/** The choice of columns. The first one names the record, and stays. */
export function ColumnsButton({ kind, columns, onChange }: ColumnsProps) {
  const { showing, directories } = useWorkspace()
  const { t } = showing.words
  const known = allFields(kind, directories).filter(({ column }) => column !== undefined)
  const toggle = (path: string, isShown: boolean) =>
    onChange(known.map(field => field.path).filter(one => (one === path ? isShown : columns.includes(one))))
  return (
    <ChoiceDialog
      title={t('Columns')}
      choices={known.slice(1).map(({ path }) => ({ id: path, name: labelOf(path, t, directories) }))}
      chosen={columns}
      onChange={toggle}
      button={open => (
        <Button look="quiet" isSmall onPress={open}>
          <Columns3 className="icon icon-small" />
          {t('Columns')}
        </Button>
      )}
      foot={<Button onPress={() => onChange([])}>{t('As at the beginning')}</Button>}
    />
  )
}
