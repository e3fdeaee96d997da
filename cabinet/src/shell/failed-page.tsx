import { useRouter } from '@tanstack/react-router'
import { CircleAlert, Compass } from 'lucide-react'
import { sentenceOf } from '../api/index.ts'
import { AgainButton, ButtonLink, Empty } from '../components/index.ts'
import { useWords } from '../words/index.ts'

/** The page of an address that leads nowhere, or to what this person may not know of. */
export function MissingPage() {
  const { t } = useWords()
  return (
    <main className="main-alone">
      <title>{t('Not found')}</title>
      <h1 className="visually-hidden">{t('Not found')}</h1>
      <Empty
        icon={<Compass className="icon" />}
        title={t('There is no such page')}
        actions={<ButtonLink href="/">{t('Go to the first page')}</ButtonLink>}
      />
    </main>
  )
}

interface FailedPageProps {
  readonly error: unknown
  /** Tries again; absent: the router does. */
  readonly onAgain?: () => void
}

/** The page that stands for one that could not be shown. */
export function FailedPage({ error, onAgain }: FailedPageProps) {
  const words = useWords()
  const router = useRouter()
  const { t } = words
  return (
    <main className="main-alone">
      <title>{t('Not shown')}</title>
      <h1 className="visually-hidden">{t('Not shown')}</h1>
      <div role="alert">
        <Empty
          icon={<CircleAlert className="icon" />}
          title={sentenceOf(error, words)}
          actions={<AgainButton error={error} onAgain={onAgain ?? (() => void router.invalidate())} />}
        />
      </div>
    </main>
  )
}
