interface Escape {
  /** The length in code units. */
  readonly length: number
  /** The character that it encodes. */
  readonly text: string
}

/** The longest escape: `&#x0010ffff;`. */
export const longestEscape = 12

const percentSign = 0x25
const ampersand = 0x26
const semicolon = 0x3b
const backslash = 0x5c

/** The escape of JSON, HTML or percent-encoding that ends at `length` and begins at `floor` or later; letters are lower case. */
export function escapeAtEnd(units: Uint16Array, floor: number, length: number): Escape | null {
  const last = units[length - 1] ?? 0
  if (last === semicolon) return entityAtEnd(units, floor, length)
  const begins = (digits: number, sign: number) => length - digits > floor && units[length - digits - 1] === sign
  if (begins(1, backslash)) return behindBackslash(last)
  if (!isHexDigit(last)) return null
  if (begins(2, percentSign)) return hexadecimal(units, length, 3, 2)
  if (begins(3, backslash) && units[length - 3] === 0x78) return hexadecimal(units, length, 4, 2)
  return begins(5, backslash) && units[length - 5] === 0x75 ? hexadecimal(units, length, 6, 4) : null
}

function behindBackslash(unit: number): Escape | null {
  const text = oneLetter.get(unit)
  return text === undefined ? null : { length: 2, text }
}

const oneLetter: ReadonlyMap<number, string> = new Map(
  Object.entries({ '"': '"', "'": "'", '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([letter, text]) => [letter.charCodeAt(0), text],
  ),
)

function hexadecimal(units: Uint16Array, end: number, length: number, digits: number): Escape | null {
  let code = 0
  for (let at = end - digits; at < end; at += 1) {
    const unit = units[at] ?? 0
    if (!isHexDigit(unit)) return null
    code = code * 16 + (unit < 0x60 ? unit - 0x30 : unit - 0x57)
  }
  return { length, text: String.fromCharCode(code) }
}

function entityAtEnd(units: Uint16Array, floor: number, end: number): Escape | null {
  const first = Math.max(floor, end - longestEscape)
  let start = end - 2
  while (start >= first && units[start] !== ampersand) start -= 1
  if (start < first) return null
  const text = named(textOf(units, start + 1, end - 1))
  return text === null ? null : { length: end - start, text }
}

/** The character of the HTML entity `&name;`. */
function named(name: string): string | null {
  if (!name.startsWith('#')) return entities.get(name) ?? null
  const [, decimal, hexadecimal] = /^#(?:([0-9]+)|x([0-9a-f]+))$/u.exec(name) ?? []
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  return code <= 0x10_ffff ? String.fromCodePoint(code) : null
}

/** Names of ASCII characters, and those of Latin-1 in order from U+00A0; further names differ from these only in case. */
const ascii =
  '!excl "quot #num $dollar %percnt &amp \'apos (lpar )rpar *ast *midast +plus ,comma .period /sol :colon ;semi <lt =equals >gt ' +
  '?quest @commat [lsqb [lbrack \\bsol ]rsqb ]rbrack ^hat _lowbar `grave {lcub {lbrace |verbar |vert }rcub }rbrace -hyphen'
const latin =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot ' +
  'cedil sup1 ordm raquo frac14 frac12 frac34 iquest agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml ' +
  'igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml times oslash ugrave uacute ucirc uuml yacute thorn szlig'

const entities: ReadonlyMap<string, string> = new Map([
  ...ascii.split(' ').map(pair => [pair.slice(1), pair.slice(0, 1)] as const),
  ...latin.split(' ').map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
  ['divide', '÷'],
  ['yuml', 'ÿ'],
])

function isHexDigit(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x66)
}

function textOf(units: Uint16Array, start: number, end: number): string {
  let text = ''
  for (let at = start; at < end; at += 1) text += String.fromCharCode(units[at] ?? 0)
  return text
}
