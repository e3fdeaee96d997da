/**
 * The words and numbers of a text, in order: words in lower case, numbers without digit grouping. Texts and questions are tokenized here in
 * the same way, so that PostgreSQL's parser, which depends on the locale and recognizes hosts and paths, does not affect the result.
 */
export function tokensOf(text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replaceAll(/[’'`´]/gu, "'")
  const grouped = plain.replaceAll(
    /(?<![\p{L}\p{N}.,])\d{1,3}(?:[.,\u0020'](?=\d{3}(?!\d))\d{3})+(?![\p{L}\d])/gu,
    digits => digits.replaceAll(/[^\d]/gu, ''),
  )
  return [...grouped.matchAll(/\d+[.,]\d+(?![.,]?\d)|[\p{L}\p{N}\p{M}]+/gu)].flatMap(([token]) => tokenForms(token))
}

/** The longest token that is kept: anything longer is not a word. */
const longest = 64

function tokenForms(token: string): string[] {
  if (token.length > longest) return []
  if (/^\d+[.,]\d+$/u.test(token)) return [decimalForm(token)]
  return [token]
}

/** `24,90` and `24.9` are the same, and so are `24,00` and `24`. */
function decimalForm(token: string): string {
  const [whole = '', part = ''] = token.split(/[.,]/u)
  const kept = part.replace(/0+$/u, '')
  return kept === '' ? whole : `${whole}.${kept}`
}
