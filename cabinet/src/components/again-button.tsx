import { Failure } from '../api/index.ts'
import { useWords } from '../words/index.ts'
import { Button } from './button.tsx'

interface AgainButtonProps {
  /** What has failed. Pages of an older version are reloaded instead. */
  readonly error: unknown
  readonly isSmall?: boolean
  readonly onAgain: () => void
}

/** Tries again what has failed. */
export function AgainButton({ error, isSmall = false, onAgain }: AgainButtonProps) {
  const { t } = useWords()
  const isOld = error instanceof Failure && error.code === 'new_build'
  return (
    <Button isSmall={isSmall} onPress={isOld ? () => location.reload() : onAgain}>
      {isOld ? t('Reload') : t('Try again')}
    </Button>
  )
}
