import { useEffect, useState } from 'react'
import { Failure, sentenceOf } from '../api/index.ts'
import { Banner, Button, Dialog, Skeleton } from '../components/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { linkOf, type RecordFile } from './record-file.ts'

/** Shows an image. It is read by the page and shown from memory, so that no document of a stranger is opened. */
export function FilePreview({ file, onClose }: { readonly file: RecordFile; readonly onClose: () => void }) {
  const { showing } = useWorkspace()
  const { t } = showing.words
  const { address, failure, fail } = useImage(file)
  return (
    <Dialog isOpen onClose={onClose} title={file.name} foot={<Button onPress={onClose}>{t('Close')}</Button>}>
      <div className="file-preview" aria-busy={address === undefined && failure === undefined}>
        {failure !== undefined ? (
          <Banner meaning="danger" isAlert>
            {failure instanceof Failure ? sentenceOf(failure, showing.words) : t('This image cannot be shown.')}
          </Banner>
        ) : address === undefined ? (
          <Skeleton />
        ) : (
          <img src={address} alt={file.name} onError={fail} />
        )}
      </div>
    </Dialog>
  )
}

function useImage(file: RecordFile) {
  const [address, setAddress] = useState<string>()
  const [failure, setFailure] = useState<unknown>()
  const [link] = useState(() => linkOf(file))
  const { mimeType } = file
  useEffect(() => {
    if (link === undefined) return undefined
    const giveUp = new AbortController()
    let made: string | undefined
    const load = async () => {
      const response = await fetch(link, { signal: giveUp.signal, redirect: 'error' })
      if (!response.ok) throw new Failure('not_found', response.status, response.statusText, {}, null)
      made = URL.createObjectURL(new Blob([await response.arrayBuffer()], { type: mimeType }))
      setAddress(made)
    }
    load().catch((error: unknown) => {
      if (!giveUp.signal.aborted) setFailure(error)
    })
    return () => {
      giveUp.abort()
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [link, mimeType])
  return { address, failure, fail: () => setFailure(new Error('the image cannot be decoded')) }
}
