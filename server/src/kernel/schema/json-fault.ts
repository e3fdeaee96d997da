type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'separator'

/** The most characters that one step reads, except for a long number. */
const stepLength = 64 * 1024

/**
 * The index of the first character at which a text stops being valid JSON (RFC 8259); its length if it ends too early; -1 if it is valid.
 * The engine's parser does not always report this. Runs in short steps.
 */
export function* faultInJson(text: string): Generator<unknown, number> {
  const isList: boolean[] = []
  let expected: Expected = 'value'
  let stepEnd = stepLength
  for (let at = afterSpace(text, 0); ; at = afterSpace(text, at)) {
    if (at > stepEnd) {
      stepEnd = at + stepLength
      yield
    }
    const character = text[at]
    if (character === undefined) return expected === 'separator' && isList.length === 0 ? -1 : at
    const isEnd = character === (isList.at(-1) === true ? ']' : '}') && isList.length > 0
    if (isEnd && (expected === 'separator' || expected.endsWith('or end'))) {
      isList.pop()
      expected = 'separator'
      at += 1
    } else if (expected === 'separator') {
      const level = isList.at(-1)
      if (character !== ',' || level === undefined) return at
      expected = level ? 'value' : 'name'
      at += 1
    } else if (expected === 'colon') {
      if (character !== ':') return at
      expected = 'value'
      at += 1
    } else if (expected === 'name' || expected === 'name or end') {
      if (character !== '"') return at
      const end = yield* endOfString(text, at)
      if (end < 0) return ~end
      expected = 'colon'
      at = end
    } else if (character === '[' || character === '{') {
      isList.push(character === '[')
      expected = character === '[' ? 'value or end' : 'name or end'
      at += 1
    } else {
      const end: number = character === '"' ? yield* endOfString(text, at) : endOfScalar(text, at)
      if (end < 0) return ~end
      expected = 'separator'
      at = end
    }
  }
}

function afterSpace(text: string, start: number): number {
  let at = start
  while (' \t\n\r'.includes(text[at] ?? '-')) at += 1
  return at
}

/** The end of a string, or the bitwise complement of the index of its fault. */
function* endOfString(text: string, start: number): Generator<unknown, number> {
  let stepEnd = start + stepLength
  for (let at = start + 1; ; at += 1) {
    if (at > stepEnd) {
      stepEnd = at + stepLength
      yield
    }
    const code = text.charCodeAt(at)
    if (code === 0x22) return at + 1
    // NaN, at the end of the text, fails this comparison too.
    if (!(code >= 0x20)) return ~at
    if (code !== 0x5c) continue
    at += 1
    if (text[at] === 'u') {
      for (const end = at + 4; at < end; at += 1) if (!/[\da-f]/iu.test(text[at + 1] ?? '')) return ~(at + 1)
    } else if (!'"\\/bfnrt'.includes(text[at] ?? '-')) return ~at
  }
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?/uy

/** The same for a number or a literal. */
function endOfScalar(text: string, start: number): number {
  for (const word of ['true', 'false', 'null']) {
    if (text[start] !== word[0]) continue
    let length = 1
    while (length < word.length && text[start + length] === word[length]) length += 1
    return length === word.length ? start + length : ~(start + length)
  }
  number.lastIndex = start
  if (number.test(text)) return number.lastIndex
  return ~(text[start] === '-' ? start + 1 : start)
}
