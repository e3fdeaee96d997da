import { useSyncExternalStore } from 'react'
import { hasNewBuild, onNewBuild } from '../api/index.ts'
import { Banner, Button } from '../components/index.ts'
import { useWords } from '../words/index.ts'

/** Says that the server has another version than these pages. When to reload decides the reader. */
export function NewBuild() {
  const { t } = useWords()
  const isThere = useSyncExternalStore(onNewBuild, hasNewBuild)
  if (!isThere) return null
  const reload = (
    <Button isSmall onPress={() => location.reload()}>
      {t('Reload')}
    </Button>
  )
  return (
    <div className="page-note" role="status">
      <Banner action={reload}>
        <p>{t('A new version is here. Reload when it suits you.')}</p>
      </Banner>
    </div>
  )
}
