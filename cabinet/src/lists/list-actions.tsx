import { useRouter } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { Suspense, useState } from 'react'
import { IconButton, lazyPart, MenuButton, MenuItem } from '../components/index.ts'
import type { Kind } from '../records/kinds.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import type { Selection } from './filters.rules.ts'

const ExportDialog = lazyPart(
  async () => (await import('../exports/export-dialog.tsx')).ExportDialog,
  ({ onClose }) => onClose,
)

/** The kinds whose records a file can bring. */
const imported: readonly Kind[] = ['contacts', 'companies']

/** What can be done with a whole list: bring records from a file, and take them to one. */
export function ListActions({ kind, selection }: { readonly kind: Kind; readonly selection: Selection }) {
  const { organization, showing, may } = useWorkspace()
  const { t } = showing.words
  const router = useRouter()
  const [isExporting, setExporting] = useState(false)
  const mayImport = imported.includes(kind) && may('crm_import_manage')
  const mayExport = kind !== 'tasks' && may('crm_export_manage')
  if (!mayImport && !mayExport) return null
  const act = (action: unknown) => {
    if (action === 'export') setExporting(true)
    else router.history.push(`/cabinet/o/${organization.id}/imports/new?kind=${kind}`)
  }
  return (
    <>
      <MenuButton
        label={t('More actions')}
        onAction={act}
        button={
          <IconButton label={t('More actions')}>
            <Ellipsis className="icon" />
          </IconButton>
        }
      >
        {mayImport ? <MenuItem id="import">{t('Import')}</MenuItem> : null}
        {mayExport ? <MenuItem id="export">{t('Export')}</MenuItem> : null}
      </MenuButton>
      <Suspense>
        {isExporting ? <ExportDialog kind={kind} selection={selection} onClose={() => setExporting(false)} /> : null}
      </Suspense>
    </>
  )
}
