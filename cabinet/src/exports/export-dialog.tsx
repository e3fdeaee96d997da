import { useMutation } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { FreshDialog } from '../account/fresh-dialog.tsx'
import { Failure, request } from '../api/index.ts'
import { Banner, Button, Checkbox, Dialog, FailureBanner, Select } from '../components/index.ts'
import { nameOfRows } from '../jobs/jobs.ts'
import type { Selection } from '../lists/filters.rules.ts'
import type { Kind } from '../records/kinds.ts'
import { labelOf } from '../records/labels.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { exportFiltersOf, exportTypesOf } from './export.rules.ts'

interface ExportDialogProps {
  readonly kind: Kind
  readonly selection: Selection
  readonly onClose: () => void
}

/** Asks what of a list goes to a file. The job that writes it is on the page of jobs. */
export function ExportDialog({ kind, selection, onClose }: ExportDialogProps) {
  const { organization, directories, showing } = useWorkspace()
  const { t } = showing.words
  const router = useRouter()
  const types = exportTypesOf[kind]
  const [type, setType] = useState<string>(types[0] ?? kind)
  const [csvSafe, setCsvSafe] = useState(false)
  const [isStale, setStale] = useState(false)
  const { filters, left } = exportFiltersOf(kind, selection)
  const ask = useMutation({
    mutationFn: () =>
      request('POST', `/o/${organization.id}/crm/exports`, {
        body: { type, csvSafe, ...(Object.keys(filters).length === 0 ? {} : { filters }) },
        key: crypto.randomUUID(),
      }),
    onSuccess: () => router.history.push(`/cabinet/o/${organization.id}/jobs`),
    onError: error => setStale(error instanceof Failure && error.code === 'fresh_sign_in_required'),
  })
  if (isStale) {
    return (
      <FreshDialog
        onClose={() => setStale(false)}
        onFresh={() => {
          setStale(false)
          ask.mutate()
        }}
      />
    )
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Export')}
      foot={
        <>
          <Button look="primary" isDisabled={ask.isPending} onPress={() => ask.mutate()}>
            {t('Export')}
          </Button>
          <Button onPress={onClose}>{t('Cancel')}</Button>
        </>
      }
    >
      <div className="form">
        <FailureBanner error={ask.error} />
        <Select
          label={t('What goes to the file')}
          choices={types.map(id => ({ id, name: t(nameOfRows[id] ?? 'Contacts') }))}
          value={type}
          onChange={key => setType(String(key))}
        />
        <Checkbox isSelected={csvSafe} onChange={setCsvSafe}>
          {t('For a spreadsheet: no text becomes a formula. Such a file cannot be imported again.')}
        </Checkbox>
        <p className="second">{t('CSV in UTF-8, with all columns that your role may see.')}</p>
        {left.length === 0 ? null : (
          <Banner meaning="warning">
            <p>
              {t('Exports do not know {filters}: the file has more records than the list.', {
                filters: left.map(name => (name === 'search' ? t('Search') : labelOf(name, t, directories))).join(', '),
              })}
            </p>
          </Banner>
        )}
      </div>
    </Dialog>
  )
}
