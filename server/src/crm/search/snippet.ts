import { searchForm } from '../../kernel/schema/index.ts'

const most = 160

/** The part of a text around the first of some words, which are in the form that search compares. */
export function snippetOf(text: string, words: readonly string[]): string {
  const all = text.trim().split(/\s+/u)
  // The form of each word is made once: a text can have thousands of them, and a search dozens of wanted ones.
  const stands = (form: string) => words.some(wanted => form.includes(wanted))
  const found = all.findIndex(word => stands(searchForm(word)))
  const place = Math.max(0, found)
  let [from, to] = [place, place + 1]
  const fits = (first: number, behind: number) => [...all.slice(first, behind).join(' ')].length <= most
  while (to < all.length && fits(from, to + 1)) to += 1
  while (from > 0 && fits(from - 1, to)) from -= 1
  const shown = [...all.slice(from, to).join(' ')].slice(0, most).join('')
  return `${from > 0 ? '… ' : ''}${shown}${to < all.length || shown.length < all.slice(from, to).join(' ').length ? ' …' : ''}`
}
