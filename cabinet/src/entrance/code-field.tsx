import { TextField } from '../components/index.ts'
import { useWords } from '../words/index.ts'

interface CodeFieldProps {
  readonly value: string
  readonly onChange: (code: string) => void
  readonly error?: string | undefined
  readonly autoFocus?: boolean
  /** A recovery code would not do: the app is being set up. */
  readonly isFromAppAlone?: boolean
}

/** The code of the second factor. */
export function CodeField({ isFromAppAlone, ...props }: CodeFieldProps) {
  const { t } = useWords()
  return (
    <TextField
      {...props}
      label={t('Code')}
      hint={isFromAppAlone ? t('Six digits from your app') : t('Six digits from your app, or a recovery code')}
      name="code"
      autoComplete="one-time-code"
      inputMode={isFromAppAlone ? 'numeric' : 'text'}
      isRequired
    />
  )
}
