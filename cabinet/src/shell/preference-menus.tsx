import { Check } from 'lucide-react'
import { Menu, Popover } from 'react-aria-components'
import { MenuItem } from '../components/index.ts'
import { chooseTheme, chosenTheme, themes } from '../preferences/index.ts'
import { languages, nameOfLanguage, useWords } from '../words/index.ts'
import { themeNames } from './theme-names.ts'
import { useLanguageChange } from './use-language-change.ts'

/** The menu of languages. The account keeps the choice. */
export function LanguageMenu() {
  const { t, language } = useWords()
  const change = useLanguageChange()
  return (
    <Popover className="menu">
      <Menu aria-label={t('Language')} className="menu-list">
        {languages.map(each => (
          <MenuItem
            key={each}
            id={each}
            end={each === language ? <Check className="icon" /> : null}
            onAction={() => change(each)}
          >
            {nameOfLanguage[each]}
          </MenuItem>
        ))}
      </Menu>
    </Popover>
  )
}

/** The menu of themes. This browser keeps the choice. */
export function ThemeMenu() {
  const { t } = useWords()
  return (
    <Popover className="menu">
      <Menu aria-label={t('Theme')} className="menu-list">
        {themes.map(each => (
          <MenuItem
            key={each}
            id={each}
            end={each === chosenTheme() ? <Check className="icon" /> : null}
            onAction={() => chooseTheme(each)}
          >
            {t(themeNames[each])}
          </MenuItem>
        ))}
      </Menu>
    </Popover>
  )
}
