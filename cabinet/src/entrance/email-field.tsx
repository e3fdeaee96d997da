import { TextField } from '../components/index.ts'
import { useWords } from '../words/index.ts'

interface EmailFieldProps {
  readonly value: string
  readonly onChange: (email: string) => void
  readonly error?: string | undefined
  readonly autoFocus?: boolean
  readonly isReadOnly?: boolean
}

/** The e-mail address that an account is known by. */
export function EmailField(props: EmailFieldProps) {
  const { t } = useWords()
  return <TextField {...props} label={t('E-mail')} type="email" name="email" autoComplete="username" isRequired />
}
