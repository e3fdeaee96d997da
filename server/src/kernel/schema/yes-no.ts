// English, German, Russian, French, Spanish, Italian, Portuguese, Dutch, Polish and Ukrainian; the words of spreadsheets included.
const affirmative = `yes y true ja j wahr да д истина oui vrai sí si verdadero sì vero sim verdadeiro waar tak prawda так істина x`
const negative = `no n false nein falsch нет н ложь non faux falso não nao nee onwaar nie fałsz ні хибність`

const words: ReadonlyMap<string, boolean> = new Map([
  ...affirmative.split(' ').map(word => [word, true] as const),
  ...negative.split(' ').map(word => [word, false] as const),
])
const digits: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['0', false],
])

/** What a word for yes or no means, ignoring case; undefined for any other text. */
export function truthInWords(text: string): boolean | undefined {
  return words.get(text.trim().normalize('NFC').toLowerCase())
}

/** The same, where 1 and 0 are such words too. */
export function truthOf(text: string): boolean | undefined {
  return digits.get(text.trim()) ?? truthInWords(text)
}
