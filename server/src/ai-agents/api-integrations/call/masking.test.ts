import { describe, expect, it } from 'vitest'
import { Masking } from './masking.ts'

const secret = 'sk_Live/4eC39"Hq=ä>&?~ ü%41\\n'

function masked(text: string, of = secret): string {
  return new Masking(of, null).mask(text)
}

/** The characters of a text, each written in one of two ways in turn. */
function mixed(text: string, write: (character: string) => string, turn: number): string {
  return Array.from(text, (character, index) => (index % 2 === turn ? write(character) : character)).join('')
}

function percent(character: string): string {
  return [...Buffer.from(character)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

function json(text: string): string {
  return Array.from({ length: text.length }, (_, index) => {
    return String.raw`\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`
  }).join('')
}

it('hides a secret whatever characters it has', () => {
  const visible = Array.from({ length: 94 }, (_, index) => String.fromCodePoint(33 + index))
  for (const character of [...visible, 'ä', '🂡', 'ж']) {
    for (const of of [`1${character}2`, `1${character}`, `${character}2`]) {
      const written = [of, JSON.stringify(of).slice(1, -1), encodeURIComponent(of), json(of), html(of)]
      expect(
        written.map(form => masked(`<${form}>`, of)),
        of,
      ).toEqual(written.map(() => '<[secret]>'))
    }
  }
})

function html(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll("'", '&#39;')
}

describe('an echoed secret is hidden', () => {
  it.each([
    ['as it is', secret],
    ['in capitals', secret.toUpperCase()],
    ['as JSON', JSON.stringify(secret).slice(1, -1)],
    ['as JSON in JSON', JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1)],
    ['as JSON with its slashes escaped', JSON.stringify(secret).slice(1, -1).replaceAll('/', String.raw`\/`)],
    ['as JSON of ASCII', JSON.stringify(secret).slice(1, -1).replaceAll('ä', '\\u00e4').replaceAll('ü', '\\u00FC')],
    ['as JSON of nothing but escapes', json(secret)],
    ['as HTML', html(secret)],
    [
      'as HTML with names',
      html(secret).replaceAll('ä', '&auml;').replaceAll('ü', '&uuml;').replaceAll('=', '&equals;'),
    ],
    ['as HTML with decimal numbers', mixed(secret, character => `&#${character.codePointAt(0)};`, 0)],
    [
      'as HTML with hexadecimal numbers',
      mixed(secret, character => `&#x00${character.codePointAt(0)?.toString(16)};`, 1),
    ],
    ['percent-encoded', encodeURIComponent(secret)],
    ['percent-encoded in small letters', encodeURIComponent(secret).toLowerCase()],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(secret))],
    ['percent-encoded as a form', encodeURIComponent(secret).replaceAll('%20', '+')],
    ['percent-encoded at every second character', mixed(secret, percent, 0)],
    ['percent-encoded at the others', mixed(secret, percent, 1).toUpperCase()],
    [
      'percent-encoded but for some characters',
      encodeURIComponent(secret).replaceAll('%2F', '/').replaceAll('%22', '"'),
    ],
    ['percent-encoded as Latin-1', encodeURIComponent(secret).replaceAll('%C3%A4', '%E4').replaceAll('%C3%BC', '%fc')],
    ['as UTF-8 that was read as Latin-1', Buffer.from(secret).toString('latin1')],
    ['as hexadecimal digits', Buffer.from(secret).toString('hex')],
    ['as Latin-1 in hexadecimal digits', Buffer.from(secret, 'latin1').toString('hex').toUpperCase()],
  ])('%s', (_form, written) => {
    expect(masked(`a "${written}" b`)).toBe('a "[secret]" b')
  })

  it('as bytes of Latin-1 and of UTF-8', () => {
    const masking = new Masking(secret, null)
    for (const encoding of ['latin1', 'utf8'] as const)
      expect(masking.maskBytes(Buffer.from(`ö <${secret}>`, encoding))).toBe(
        encoding === 'utf8' ? 'ö <[secret]>' : '\ufffd <[secret]>',
      )
  })

  it('beside a character that would belong to an escape', () => {
    expect(masked(String.raw`CRM\nobody-knows`, 'nobody-knows')).toBe(String.raw`CRM\[secret]`)
    expect(masked('100%41abcdef', '41abcdef')).toBe('100%[secret]')
    expect(masked('{"a":"\\u00e4\\\\"}', 'ä\\')).toBe('{"a":"[secret]"}')
  })
})

describe('an echoed secret in Base64 is hidden', () => {
  it('in both alphabets', () => {
    const other = '>>>???~~~'
    const forms = [Buffer.from(other).toString('base64'), Buffer.from(other).toString('base64url')]
    expect(forms).toEqual(['Pj4+Pz8/fn5+', 'Pj4-Pz8_fn5-'])
    expect(masked(forms.join(), other)).toBe('[secret],[secret]')
    expect(masked(encodeURIComponent(forms.join()), other)).toBe('[secret]%2C[secret]')
  })

  it('at every place of a text, with the characters that it shares with its neighbours', () => {
    for (const encoding of ['utf8', 'latin1'] as const)
      for (let before = 0; before < 6; before += 1)
        for (let after = 0; after < 3; after += 1) {
          const bytes = Buffer.from(`${'('.repeat(before)}${secret}${')'.repeat(after)}`, encoding)
          const [start, end] = [before, bytes.length - after]
          for (const form of ['base64', 'base64url'] as const) {
            const text = bytes.toString(form).replace(/=+$/u, '')
            const shown = masked(text).replace(/=+$/u, '')
            expect(shown).toBe(
              `${text.slice(0, Math.floor((start * 4) / 3))}[secret]${text.slice(Math.ceil((end * 4) / 3))}`,
            )
          }
        }
  })
})

describe('a text that was cut', () => {
  const masking = new Masking(secret, 'crm')

  it.each([
    ['as it is', secret],
    ['as JSON', json(secret)],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(secret))],
    ['as HTML', mixed(secret, character => `&#${character.codePointAt(0)};`, 0)],
    ['as Base64', Buffer.from(`xy${secret}`).toString('base64').slice(3)],
  ])('shows no beginning of a secret %s', (_form, written) => {
    for (let length = 1; length < written.length; length += 1)
      expect(masking.mask(`${'.'.repeat(40)}${written.slice(0, length)}`, true)).toMatch(/^\.{20,40}(?:\[secret\])?$/u)
  })

  it('shows everything else', () => {
    expect(masking.mask('x'.repeat(100), true)).toMatch(/^x{80,}$/u)
  })
})

it('hides nothing where there is no secret', () => {
  expect(new Masking(null, null).maskBytes(Buffer.from('ä%41'))).toBe('ä%41')
})
