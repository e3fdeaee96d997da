import { useInfiniteQuery } from '@tanstack/react-query'
import { Upload } from 'lucide-react'
import { useMemo, useRef } from 'react'
import { type DropItem, DropZone, FileTrigger, isFileDropItem } from 'react-aria-components'
import { sentenceOf } from '../api/index.ts'
import { Banner, Button, IconButton, Progress, Skeleton } from '../components/index.ts'
import { partsKey, usePartChanges } from '../parts/use-part-changes.ts'
import { useRemovalFocus } from '../parts/use-removal-focus.ts'
import { type Kind, kindFacts } from '../records/kinds.ts'
import { firstPage } from '../records/record-requests.ts'
import type { Words } from '../words/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { FileRow } from './file-row.tsx'
import { formatSize, type RecordFile, readFiles, removeFile, type UnsavedFile } from './record-file.ts'
import { useUploads } from './use-uploads.ts'
import '../parts/parts.css'
import './record-files.css'

/** The files of a record: brought by a button or by dropping them, opened, downloaded and deleted. */
export function RecordFiles({ kind, record }: { readonly kind: Kind; readonly record: string }) {
  const { organization, showing, may } = useWorkspace()
  const { t } = showing.words
  const mayWrite = may(kindFacts[kind].write) && may('crm_files_write')
  const query = useFiles(kind, record)
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const files = useMemo(() => (data?.pages ?? []).flatMap(page => page.data), [data])
  const change = usePartChanges(kind, record)
  const uploads = useUploads(kind, record)
  const section = useRef<HTMLElement>(null)
  const withFocus = useRemovalFocus(files, file =>
    section.current
      ?.querySelector<HTMLElement>(`${file === undefined ? '' : `[data-file="${file.id}"] `}button:not([hidden])`)
      ?.focus(),
  )
  const remove = (file: RecordFile) =>
    withFocus(file, () => change(() => removeFile(organization.id, kind, record, file.id)))
  const list = (
    <>
      {error === null ? null : <Banner meaning="warning">{sentenceOf(error, showing.words)}</Banner>}
      {data === undefined && error === null ? <Skeleton /> : null}
      {data !== undefined && files.length === 0 ? (
        <p className="muted">{mayWrite ? t('Drop files here, or choose them.') : '–'}</p>
      ) : null}
      <ul className="files">
        {files.map(file => (
          <FileRow key={file.id} file={file} onDelete={mayWrite ? () => remove(file) : undefined} />
        ))}
      </ul>
      {hasNextPage ? (
        <Button look="quiet" isSmall isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          {t('Show older ones')}
        </Button>
      ) : null}
    </>
  )
  return (
    <section ref={section} className="section" aria-labelledby="files" aria-busy={data === undefined && error === null}>
      <div className="section-head">
        <h2 id="files">{t('Files')}</h2>
        {mayWrite ? (
          <FileTrigger allowsMultiple onSelect={chosen => uploads.add([...(chosen ?? [])])}>
            <IconButton isSmall label={t('Add files')}>
              <Upload className="icon icon-small" />
            </IconButton>
          </FileTrigger>
        ) : null}
      </div>
      <UploadState uploads={uploads} />
      {mayWrite ? (
        <DropZone
          className="drop-zone"
          aria-label={t('Drop files here, or choose them.')}
          getDropOperation={() => 'copy'}
          onDrop={({ items }) => void filesIn(items).then(uploads.add)}
        >
          {list}
        </DropZone>
      ) : (
        list
      )}
    </section>
  )
}

function filesIn(items: readonly DropItem[]): Promise<File[]> {
  return Promise.all(items.filter(isFileDropItem).map(item => item.getFile()))
}

/** The files, the newest first. Their links are renewed before they end. */
function useFiles(kind: Kind, record: string) {
  const { organization } = useWorkspace()
  return useInfiniteQuery({
    queryKey: [...partsKey(organization.id, kind, record), 'files'],
    queryFn: ({ pageParam, signal }) => readFiles(organization.id, kind, record, pageParam, signal),
    initialPageParam: firstPage(),
    getNextPageParam: last => last.meta.nextCursor ?? null,
    refetchInterval: ({ state: { data } }) => {
      const [first] = data?.pages[0]?.data ?? []
      return first?.urlExpiresInSeconds === undefined ? false : first.urlExpiresInSeconds * renewAfter
    },
  })
}

/** Milliseconds for each second that a link is valid: it is renewed when three quarters of its time are over. */
const renewAfter = 750

/** How far the files have come, and which of them the server did not take. */
function UploadState({ uploads }: { readonly uploads: ReturnType<typeof useUploads> }) {
  const { showing } = useWorkspace()
  const { t, language } = showing.words
  const { files, bytes, sent, isRunning, unsaved, stop } = uploads
  return (
    <div className="uploads">
      {isRunning ? (
        <>
          <Progress
            label={t('{count, plural, one {Sending # file} other {Sending # files}}', { count: files })}
            value={sent}
            most={bytes}
            text={t('{done} of {count}', { done: formatSize(sent, language), count: formatSize(bytes, language) })}
          />
          <Button isSmall onPress={stop}>
            {t('Stop')}
          </Button>
        </>
      ) : null}
      {[...namesByReason(unsaved, showing.words)].map(([reason, names]) => (
        <Banner key={reason} meaning="danger" isAlert>
          <b className="strong">{names.join(', ')}</b> · {reason}
        </Banner>
      ))}
    </div>
  )
}

/** The files that were not saved, one line for each reason. */
function namesByReason(files: readonly UnsavedFile[], words: Words): ReadonlyMap<string, readonly string[]> {
  const lines = new Map<string, string[]>()
  for (const file of files) {
    const reason = reasonOf(file, words)
    lines.set(reason, [...(lines.get(reason) ?? []), file.name])
  }
  return lines
}

function reasonOf({ code, message, failure }: UnsavedFile, words: Words): string {
  const { t } = words
  if (code === 'not_sent') return t('Not sent.')
  if (code === 'payload_too_large') return t('Larger than the server takes.')
  if (code === 'service_unavailable') return t('Could not be stored. Try again in a moment.')
  return t('Not saved: {message}', { message: failure === undefined ? message : sentenceOf(failure, words) })
}
