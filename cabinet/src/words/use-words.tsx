import type { I18n } from '@lingui/core'
import { Trans, useLingui } from '@lingui/react'
import type { ReactElement } from 'react'
import { languageOf } from './language.ts'
import type { Language } from './languages.ts'
import type { Text } from './texts.ts'

type Values = Readonly<Record<string, string | number>>

/** Says a text in the language of the page. */
export type Say = (text: Text, values?: Values) => string

export interface Words {
  readonly t: Say
  readonly language: Language
}

/** The words of the page, in a component: it is drawn anew when the language changes. */
export function useWords(): Words {
  const { i18n } = useLingui()
  return wordsOf(i18n)
}

/** The same outside of components. */
export function wordsOf(i18n: I18n): Words {
  return { t: (text, values) => i18n._(text, values && { ...values }), language: languageOf(i18n.locale) }
}

/** A text with elements in it: `<0>link</0>` of the text becomes the first element. */
export function Said({ text, values, elements }: SaidProps): ReactElement {
  return <Trans id={text} values={{ ...values }} components={{ ...elements }} />
}

interface SaidProps {
  readonly text: Text
  readonly values?: Values
  readonly elements: readonly ReactElement[]
}
