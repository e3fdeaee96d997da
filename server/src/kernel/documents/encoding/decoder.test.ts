import { TextDecoder } from 'node:util'
import { expect, it } from 'vitest'
import { decode, decoderOf } from './decoder.ts'
import { encodingNamed } from './encoding-names.ts'

it.each([
  ['utf8', 'utf-8'],
  ['latin1', 'windows-1252'],
  ['ISO-8859-9', 'windows-1254'],
  [' Windows-1250 ', 'windows-1250'],
  ['sjis', 'shift_jis'],
  ['ks_c_5601-1987', 'euc-kr'],
  ['gb2312', 'gbk'],
  ['mac', 'macintosh'],
  ['cp850', 'ibm850'],
  ['IBM852', 'ibm852'],
  ['cp866', 'ibm866'],
  ['x-mac-ce', 'x-mac-ce'],
  ['iso-8859-16', 'iso-8859-16'],
  ['utf-7', null],
  ['hz-gb-2312', null],
  ['ibm37', null],
  ['__proto__', null],
  ['', null],
])('the label %j stands for %j', (label, name) => {
  expect(encodingNamed(label)).toBe(name)
  if (name !== null) expect(encodingNamed(name)).toBe(name)
})

/** The names of the WHATWG Encoding Standard, without two that are no encodings of texts and one that Node.js lacks. */
const names =
  'utf-8 ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i iso-8859-10 iso-8859-13 ' +
  'iso-8859-14 iso-8859-15 koi8-r koi8-u macintosh windows-874 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 ' +
  'windows-1255 windows-1256 windows-1257 windows-1258 x-mac-cyrillic gbk gb18030 big5 euc-jp iso-2022-jp shift_jis euc-kr utf-16be ' +
  'utf-16le'

it.each(names.split(' '))('%s is decoded as the standard says, or not at all', name => {
  expect(encodingNamed(name)).toBe(name)
  expect(decode(Buffer.from('Az 09,;"'), name === 'utf-16be' || name === 'utf-16le' ? 'utf-8' : name)).toBe('Az 09,;"')
  if (!/^(?:ibm|iso-8859|koi8|mac|windows|x-mac)/u.test(name)) return
  for (let byte = 0x80; byte <= 0xff; byte += 1) {
    const decoder = new TextDecoder(name)
    // Some versions of Node.js decode a whole text in Windows-1252 as Latin-1, but not one in pieces.
    const expected = decoder.decode(Uint8Array.of(byte), { stream: true }) + decoder.decode()
    const found = decode(Buffer.of(byte), name)
    if (found !== '\uFFFD')
      expect([byte, found]).toEqual([byte, name === 'windows-1255' && byte === 0xca ? found : expected])
    else expect(expected).toMatch(/^[\u0080-\u009F\uF8C1-\uF8C8\uFFFD]$|^ª$/u)
  }
})

it.each([
  ['windows-1252', [0x41, 0x81, 0x42], 'A\uFFFDB'],
  ['windows-1252', [0x80, 0x93, 0x9f], '€“Ÿ'],
  ['iso-8859-2', [0xb9, 0x8a], 'š\uFFFD'],
  ['ibm850', [0x84, 0x81, 0xe1], 'äüß'],
  ['ibm852', [0xfd, 0x88, 0xb3], 'řł│'],
  ['x-mac-ce', [0xde, 0x8b], 'řč'],
  ['macintosh', [0x9a, 0xdb], 'ö€'],
  ['euc-kr', [0x81, 0x41, 0xff], '갂\uFFFD'],
  ['shift_jis', [0x93, 0xfa, 0x5c], '日\\'],
  ['iso-2022-jp', [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x1b, 0x28, 0x42], '日'],
])('%s decodes what it defines, in pieces of any size', (encoding, bytes, text) => {
  expect(decode(Buffer.from(bytes), encoding)).toBe(text)
  const decoder = decoderOf(encoding)
  expect(bytes.map(byte => decoder.write(Buffer.of(byte))).join('') + decoder.end()).toBe(text)
})
