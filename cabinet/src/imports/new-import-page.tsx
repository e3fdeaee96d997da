import { useRouter } from '@tanstack/react-router'
import { Upload } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { DropZone, FileTrigger, isFileDropItem } from 'react-aria-components'
import { sendForm } from '../api/index.ts'
import { Banner, Button, Progress, Select } from '../components/index.ts'
import { nameOfRows } from '../jobs/jobs.ts'
import { formatSize } from '../record-files/record-file.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { ImportFrame } from './import-frame.tsx'
import { type ImportedRows, type ImportJob, importedRows } from './import-job.ts'
import { importFailureText } from './import-texts.ts'
import './imports.css'

/** A file on its way to the server. */
interface Sending {
  readonly file: File
  readonly sent: number
}

/** The first step of an import: what its rows are about, and the file. The address of the next steps is that of the import. */
export function NewImportPage() {
  const { organization, showing } = useWorkspace()
  const { t, language } = showing.words
  const router = useRouter()
  const [entityType, setEntityType] = useState(() => entityIn(router.history.location.search))
  const [sending, setSending] = useState<Sending | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const giveUp = useRef(new AbortController())
  useEffect(() => () => giveUp.current.abort(), [])

  const upload = async (file: File | undefined) => {
    if (file === undefined || sending !== null) return
    const { signal } = (giveUp.current = new AbortController())
    setFailure(null)
    setSending({ file, sent: 0 })
    const form = new FormData()
    form.append('entityType', entityType)
    form.append('file', file)
    try {
      const way = {
        key: crypto.randomUUID(),
        signal,
        onProgress: (bytes: number) => setSending({ file, sent: Math.min(bytes, file.size) }),
      }
      const { data } = await sendForm<ImportJob>(`/o/${organization.id}/crm/imports`, form, way)
      router.history.replace(`/cabinet/o/${organization.id}/imports/${data.id}`)
    } catch (error) {
      setSending(null)
      if (!signal.aborted && error instanceof Error) setFailure(importFailureText(error, showing.words))
    }
  }

  return (
    <ImportFrame job={{ entityType, fileName: sending?.file.name ?? '' }} step="file">
      {failure === null ? null : (
        <Banner meaning="danger" isAlert>
          <p>{failure}</p>
        </Banner>
      )}
      {sending === null ? (
        <div className="import-file stack">
          <Select
            label={t('Rows are about')}
            choices={importedRows.map(id => ({ id, name: t(nameOfRows[id] ?? 'Contacts') }))}
            value={entityType}
            onChange={key => setEntityType(importedRows.find(id => id === key) ?? entityType)}
          />
          <DropZone
            className="import-drop"
            aria-label={t('Drop a file here')}
            getDropOperation={() => 'copy'}
            onDrop={({ items }) => {
              const dropped = items.find(isFileDropItem)
              if (dropped !== undefined) void dropped.getFile().then(upload)
            }}
          >
            <Upload className="icon" />
            <p>{t('Drop a file here')}</p>
            <FileTrigger
              acceptedFileTypes={['.csv', '.txt', '.tsv', '.xlsx']}
              onSelect={chosen => void upload(chosen?.[0])}
            >
              <Button look="primary">{t('Choose a file')}</Button>
            </FileTrigger>
            <p className="muted">
              {t('CSV or an Excel workbook (XLSX). Nothing is written before you start the import.')}
            </p>
          </DropZone>
        </div>
      ) : (
        <div className="import-file stack">
          <Progress
            label={t('{count, plural, one {Sending # file} other {Sending # files}}', { count: 1 })}
            value={sending.sent}
            most={sending.file.size}
            text={t('{done} of {count}', {
              done: formatSize(sending.sent, language),
              count: formatSize(sending.file.size, language),
            })}
          />
          <div>
            <Button onPress={() => giveUp.current.abort()}>{t('Cancel')}</Button>
          </div>
        </div>
      )}
    </ImportFrame>
  )
}

/** What the address says that the rows are about; contacts if it says nothing that imports know. */
function entityIn(search: string): ImportedRows {
  const asked = new URLSearchParams(search).get('kind')
  return importedRows.find(id => id === asked) ?? 'contacts'
}
