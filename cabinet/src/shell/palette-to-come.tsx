import { type RefObject, useEffect, useState } from 'react'

interface PaletteToComeProps {
  readonly typed: RefObject<string>
  readonly onClose: () => void
}

/**
 * Stands for the palette until it is loaded. What is typed meanwhile is kept in `typed`: a letter behind Ctrl K must not get lost, nor do
 * something else on the page. The focus stays where it was, so that the palette can give it back.
 */
export function PaletteToCome({ typed, onClose }: PaletteToComeProps) {
  const [text, setText] = useState(typed.current)
  useEffect(() => {
    const take = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      event.stopPropagation()
      if (event.key === 'Escape') onClose()
      else if (event.key === 'Backspace') typed.current = typed.current.slice(0, -1)
      else if ([...event.key].length === 1) typed.current += event.key
      setText(typed.current)
    }
    window.addEventListener('keydown', take, { capture: true })
    return () => window.removeEventListener('keydown', take, { capture: true })
  }, [typed, onClose])
  return (
    <div className="scrim" aria-busy="true">
      <div className="dialog palette">
        <p className="palette-input">{text}</p>
      </div>
    </div>
  )
}
