import { searchForm } from '../../kernel/schema/index.ts'

const most = 160

/** The part of a text around the first of some words, which are in the form that search compares. */
export function snippetOf(text: string, words: readonly string[]): string {
  const all = text.trim().split(/\s+/u)
  const isWanted = (word: string) => words.some(wanted => searchForm(word).includes(wanted))
  const place = Math.max(0, all.findIndex(isWanted))
  let [from, to] = [place, place + 1]
  const fits = (first: number, behind: number) => [...all.slice(first, behind).join(' ')].length <= most
  while (to < all.length && fits(from, to + 1)) to += 1
  while (from > 0 && fits(from - 1, to)) from -= 1
  const shown = [...all.slice(from, to).join(' ')].slice(0, most).join('')
  return `${from > 0 ? '… ' : ''}${shown}${to < all.length || shown.length < all.slice(from, to).join(' ').length ? ' …' : ''}`
}
