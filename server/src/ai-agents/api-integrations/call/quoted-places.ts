/** The token of a JSON or GraphQL text to which a position belongs. After the backslash of an escape, no other token can begin. */
export type QuotedPlace = 'document' | 'string' | 'block string' | 'comment' | 'escape'

/** The end of each token. JSON has neither `"""` nor `#` outside strings, so one scanner serves both languages. */
const nextMark = {
  document: /"""|"|#/gu,
  string: /\\.|"/gsu,
  'block string': /\\"""|"""/gu,
  comment: /[\r\n]/gu,
}

const begins: Readonly<Record<string, keyof typeof nextMark>> = {
  '"""': 'block string',
  '"': 'string',
  '#': 'comment',
}

/** Finds the token at a position of a JSON or GraphQL text. Positions must be queried from left to right. */
export function quotedPlaces(text: string): (offset: number) => QuotedPlace {
  let place: keyof typeof nextMark = 'document'
  let mark = markFrom(0)

  function markFrom(start: number): RegExpExecArray | null {
    const pattern = nextMark[place]
    pattern.lastIndex = start
    return pattern.exec(text)
  }

  return offset => {
    while (mark !== null && mark.index < offset) {
      const [token] = mark
      const end = mark.index + token.length
      if (end > offset) return 'escape'
      if (!token.startsWith('\\')) place = place === 'document' ? (begins[token] ?? place) : 'document'
      mark = markFrom(end)
    }
    return place
  }
}
