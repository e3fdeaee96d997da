import { useState } from 'react'
import { RadioGroup, Select, Switch } from '../components/index.ts'
import { chooseTheme, chosenTheme, switchSingleKeys, themes, useSingleKeys } from '../preferences/index.ts'
import { themeNames } from '../shell/theme-names.ts'
import { useLanguageChange } from '../shell/use-language-change.ts'
import { languages, nameOfLanguage, useWords } from '../words/index.ts'
import { Section } from './section.tsx'

/** Language, theme and keys. The account keeps the first, this browser the others. */
export function PreferencesSection() {
  const { t, language } = useWords()
  const changeLanguage = useLanguageChange()
  const [theme, setTheme] = useState(chosenTheme)
  const areKeysOn = useSingleKeys()
  const choose = (wanted: string) => {
    const found = themes.find(each => each === wanted)
    if (found === undefined) return
    setTheme(found)
    chooseTheme(found)
  }
  const speakFrom = (wanted: unknown) => {
    const found = languages.find(each => each === wanted)
    if (found !== undefined) changeLanguage(found)
  }
  return (
    <Section title={t('Language and look')}>
      <div className="form">
        <Select
          label={t('Language')}
          choices={languages.map(id => ({ id, name: nameOfLanguage[id] }))}
          value={language}
          onChange={speakFrom}
        />
        <RadioGroup
          label={t('Theme')}
          choices={themes.map(id => ({ id, name: t(themeNames[id]) }))}
          value={theme}
          onChange={choose}
        />
        <Switch isSelected={areKeysOn} onChange={switchSingleKeys}>
          {t('Keys without Ctrl')}
        </Switch>
      </div>
    </Section>
  )
}
