import { Download, FileText, Image, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { IconButton } from '../components/index.ts'
import { operatorName } from '../directories/directories.ts'
import { formatMoment } from '../format/formats.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { FilePreview } from './file-preview.tsx'
import { formatSize, isShown, linkOf, type RecordFile } from './record-file.ts'

interface FileRowProps {
  readonly file: RecordFile
  /** Absent where the file may not be deleted. */
  readonly onDelete: (() => Promise<unknown>) | undefined
}

/** One file: what it is called, how large it is, who brought it when. */
export function FileRow({ file, onDelete }: FileRowProps) {
  const { showing, directories } = useWorkspace()
  const { t, language } = showing.words
  const [opened, setOpened] = useState<'preview' | 'delete'>()
  const { name, sizeBytes, createdByUuid, createdAt } = file
  const link = linkOf(file)
  const close = () => setOpened(undefined)
  const Icon = isShown(file) ? Image : FileText
  const who = createdByUuid == null ? undefined : operatorName(directories, createdByUuid)
  return (
    <li className="file" data-file={file.id}>
      <Icon className="icon" />
      <div className="file-text">
        {isShown(file) ? (
          <Button className="text-btn" onPress={() => setOpened('preview')}>
            {name}
          </Button>
        ) : (
          <span className="file-name">{name}</span>
        )}
        <span className="sub">
          {[formatSize(sizeBytes, language), who].filter(Boolean).join(' · ')} {'· '}
          <time dateTime={createdAt}>{formatMoment(createdAt, language)}</time>
        </span>
      </div>
      {link === undefined ? null : (
        <a className="icon-btn icon-btn-small" href={link} download={name} aria-label={t('Download {name}', { name })}>
          <Download className="icon icon-small" />
        </a>
      )}
      {onDelete === undefined ? null : (
        <IconButton isSmall label={t('Delete {name}', { name })} onPress={() => setOpened('delete')}>
          <Trash2 className="icon icon-small" />
        </IconButton>
      )}
      {opened === 'preview' ? <FilePreview file={file} onClose={close} /> : null}
      {opened === 'delete' && onDelete !== undefined ? (
        <ConfirmDialog name={name} onDelete={onDelete} onClose={close} />
      ) : null}
    </li>
  )
}
