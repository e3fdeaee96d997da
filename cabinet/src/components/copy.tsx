import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from 'react-aria-components'
import { useWords } from '../words/index.ts'
import { IconButton } from './button.tsx'

const shownMilliseconds = 2000

/** An id: quiet, and copied by one press. `shown` is a shorter form of it. */
export function CopyId({
  id,
  shown = id,
  words,
}: {
  readonly id: string
  readonly shown?: string
  readonly words?: string
}) {
  const { t } = useWords()
  const { isCopied, copy } = useCopy(id)
  return (
    <Button className="id" aria-label={t('Copy {what}', { what: `${words ?? ''} ${shown}`.trim() })} onPress={copy}>
      {words === undefined ? '' : `${words} `}
      {shown}
      {isCopied ? <Check className="icon icon-small" /> : <Copy className="icon icon-small" />}
      <span role="status" className="visually-hidden">
        {isCopied ? t('Copied') : ''}
      </span>
    </Button>
  )
}

/** Lines to copy, such as a command. */
export function CopyCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { t } = useWords()
  const { isCopied, copy } = useCopy(text)
  return (
    <div className="code">
      <code>{text}</code>
      <IconButton isSmall label={isCopied ? t('Copied') : t('Copy {what}', { what: label })} onPress={copy}>
        {isCopied ? <Check className="icon" /> : <Copy className="icon" />}
      </IconButton>
    </div>
  )
}

function useCopy(text: string) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), shownMilliseconds)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  }
  return { isCopied, copy }
}
