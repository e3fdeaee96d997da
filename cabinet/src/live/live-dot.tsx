import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { useWords } from '../words/index.ts'
import { useLiveState } from './use-live.ts'

/** Says in the bar above the page that changes of others arrive at once, or that the server has refused to tell them. */
export function LiveDot() {
  const { t } = useWords()
  const state = useLiveState()
  const [place, setPlace] = useState<Element | null>(null)
  useEffect(() => setPlace(document.querySelector('#top-bar-page')), [])
  if (place === null || state === 'connecting') return null
  const sign =
    state === 'live' ? (
      <span className="live">{t('Live')}</span>
    ) : (
      <span className="muted">{t('Not live: refresh to see changes')}</span>
    )
  return createPortal(sign, place)
}
