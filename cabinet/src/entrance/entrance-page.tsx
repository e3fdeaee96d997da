import type { ReactNode } from 'react'
import { Button } from 'react-aria-components'
import { languages, nameOfLanguage, speak, useWords } from '../words/index.ts'

interface EntrancePageProps {
  readonly title: string
  readonly children: ReactNode
}

/** The frame of the pages before the sign-in: a card in the middle, the languages below. */
export function EntrancePage({ title, children }: EntrancePageProps) {
  const { t, language } = useWords()
  return (
    <div className="entrance">
      <title>{title}</title>
      <main className="entrance-main">
        <div className="entrance-card">
          <p className="row-flex">
            <span className="org-mark" data-initials="C" aria-hidden="true" />
            <span className="second">{location.host}</span>
          </p>
          <h1>{title}</h1>
          {children}
        </div>
      </main>
      <nav className="entrance-foot" aria-label={t('Language')}>
        {languages.map(each => (
          <Button
            key={each}
            className="language"
            lang={each}
            aria-current={each === language}
            onPress={() => void speak(each)}
          >
            {nameOfLanguage[each]}
          </Button>
        ))}
      </nav>
    </div>
  )
}
