/** What a place of a JSON or GraphQL text is part of. Behind the backslash of an escape, nothing else can begin. */
export type QuotedPlace = 'document' | 'string' | 'block string' | 'comment' | 'escape'

/** What ends each of them. JSON has neither `"""` nor `#` outside of strings, so both languages are read in one way. */
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

/** Tells what a place of a JSON or GraphQL text is part of. Places are asked from the left to the right. */
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
