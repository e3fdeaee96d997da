import { useQueryClient } from '@tanstack/react-query'
import { keepMe, type Me, request, sentenceOf } from '../api/index.ts'
import { showToast } from '../components/index.ts'
import { type Language, speak, useWords } from '../words/index.ts'

/** Changes the language of the pages at once, and of the account. */
export function useLanguageChange(): (language: Language) => void {
  const client = useQueryClient()
  const words = useWords()
  return language => {
    void speak(language)
    request<Me>('PATCH', '/account', { body: { locale: language } }).then(
      me => keepMe(client, me),
      (error: unknown) => showToast({ text: sentenceOf(error, words) }),
    )
  }
}
