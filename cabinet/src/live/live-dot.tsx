import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { useWords } from '../words/index.ts'
import { useIsLive } from './use-live.ts'

/** Says in the bar above the page that changes of others arrive at once. */
export function LiveDot() {
  const { t } = useWords()
  const isLive = useIsLive()
  const [place, setPlace] = useState<Element | null>(null)
  useEffect(() => setPlace(document.querySelector('#top-bar-page')), [])
  return place === null || !isLive ? null : createPortal(<span className="live">{t('Live')}</span>, place)
}
