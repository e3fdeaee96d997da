import type { SampledBytes } from './byte-sample.ts'
import { decode } from './decoder.ts'
import { type Encoding, encodingNamed } from './encoding-names.ts'

/** An encoding that the bytes of a text do not prove. */
export interface EncodingGuess {
  readonly encoding: Encoding
  /** The next likely encoding that gives another text; null if there is none. */
  readonly other: Encoding | null
}

/** What the detector calls an encoding, where that is no label of it. */
const otherNames: Readonly<Record<string, Encoding>> = {
  cp874: 'windows-874',
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  macroman: 'macintosh',
  maccyrillic: 'x-mac-cyrillic',
  maclatin2: 'x-mac-ce',
}

/** The encodings that are guessed, by their names for the detector. The first of two that fit equally well is taken. */
const guessed: ReadonlyMap<string, Encoding> = new Map(
  (
    'windows-1252 windows-1250 windows-1251 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 cp1258 cp874 ' +
    'gb18030 big5 cp932 euc-jp cp949 macroman cp850 cp852 koi8-r koi8-u ibm866 iso8859-15 iso-8859-2 iso-8859-5 ' +
    'iso-8859-6 iso-8859-7 maccyrillic maclatin2 cp857'
  )
    .split(' ')
    .map(name => [name, otherNames[name] ?? encodingNamed(name) ?? name]),
)

/** Encodings that are taken in place of a rarer one with which a text is the same. */
const commoner: Readonly<Record<Encoding, Encoding>> = {
  'iso-8859-2': 'windows-1250',
  'iso-8859-7': 'windows-1253',
  'iso-8859-15': 'windows-1252',
  'koi8-u': 'koi8-r',
}

/** It has the small letters of Windows-1251, so the detector hardly tells them apart, and few files are in it. */
const rare: Encoding = 'x-mac-cyrillic'
const rareWeight = 0.9

/** With so few bytes beyond ASCII, the encodings of most files come first unless another one is clearly more likely. */
const fewBytes = 6
const usual: readonly Encoding[] = ['windows-1252', 'windows-1251']
const usualWeight = 1.1

/** A candidate is considered if it has this share of the confidence of the best one. */
const leastShare = 0.2

/**
 * The detector takes Japanese names without kana for Chinese: EUC-JP then has this share of the confidence in GB 18030 at least, and much
 * less if the names are Chinese.
 */
const japaneseShare = 0.3

interface Candidate {
  readonly encoding: Encoding
  readonly text: string
  readonly score: number
}

/**
 * Guesses the encoding of a text from its bytes: the detector rates how well they read as words of languages, and what stands nowhere in a
 * name counts against an encoding, such as a sign between two letters.
 */
export async function guessEncoding(sample: SampledBytes): Promise<EncodingGuess> {
  const confidences = await rate(sample)
  const best = Math.max(...confidences.values())
  const isThin = sample.lines.filter(byte => byte >= 0x80).length <= fewBytes
  const candidates: Candidate[] = []
  for (const [encoding, confidence] of confidences) {
    if (confidence < best * leastShare) continue
    const text = decode(sample.lines, encoding)
    const weight = (isThin && usual.includes(encoding) ? usualWeight : 1) * (encoding === rare ? rareWeight : 1)
    candidates.push({ encoding, text, score: confidence * weight * (1 - oddShare(text) / 2) })
  }
  candidates.sort((one, another) => another.score - one.score)
  const [first] = candidates
  if (first === undefined) return { encoding: 'windows-1252', other: null }
  const japanese = candidates.find(
    ({ encoding, score }) => encoding === 'euc-jp' && score >= first.score * japaneseShare,
  )
  const chosen = first.encoding === 'gb18030' ? (japanese ?? first) : first
  const other = candidates.find(({ text }) => text !== chosen.text)?.encoding ?? null
  const common = commoner[chosen.encoding]
  const isSame = common !== undefined && decode(sample.lines, common) === chosen.text
  return { encoding: isSame ? common : chosen.encoding, other }
}

/**
 * The confidence of the detector in each encoding: the sum of that for the lines that are not ASCII, which decide, and that for the
 * beginning of the text, whose words show the language.
 */
async function rate({ head, lines }: SampledBytes): Promise<ReadonlyMap<Encoding, number>> {
  // Its model takes some tens of milliseconds and mebibytes, which most files do not need.
  const { detectAll } = await import('jschardet')
  const options = { minimumThreshold: 0, detectEncodings: ['utf-8', ...guessed.keys()] }
  const confidences = new Map<Encoding, number>()
  for (const { encoding: name, confidence } of [lines, head].flatMap(bytes => detectAll(bytes, options))) {
    const encoding = guessed.get(name?.toLowerCase() ?? '')
    if (encoding !== undefined) confidences.set(encoding, (confidences.get(encoding) ?? 0) + confidence)
  }
  return confidences
}

/** A capital after a small letter, a sign between letters or before a word, and bytes without a character. */
const oddPlaces =
  /\p{Ll}\p{Lu}|\p{L}[\p{S}\p{No}\p{C}¿¡»«„”“‚‡†…‰§¶]\p{L}|\uFFFD|(?<![\p{L}\p{M}'’-])[\p{S}\p{No}¶§†‡‰]\p{L}/gu

/** Cyrillic letters of which no language has both: of Serbian and Macedonian, and of languages to the east of them. */
const southern = /[ЂЃЉЊЋЌЏЅЈђѓљњћќџѕј]/gu
const eastern = /[йщъыьэюя]/iu

/** The share of the characters beyond ASCII that are where they are in no name, from 0 to 1. */
function oddShare(text: string): number {
  const isOther = (part: string) => /[^\0-\x7F]/u.test(part)
  const odd = text.match(oddPlaces)?.filter(isOther).length ?? 0
  const all = text.match(/[^\0-\x7F]/gu)?.length ?? 1
  const mixed = eastern.test(text) ? (text.match(southern)?.length ?? 0) : 0
  return Math.min(1, (odd + mixed) / all)
}
