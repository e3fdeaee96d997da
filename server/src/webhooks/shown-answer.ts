import { webhookBounds } from './bounds.ts'
import type { Receiver } from './receiver.ts'

/** Credentials follow a word such as `Bearer`; shorter words are none. */
const shortestCredential = 8

/** How much of an answer is shown, and kept of a failed call. */
const mostShown = 1024

/** The beginning of an answer as text, and whether there was more. */
export interface ShownAnswer {
  readonly text: string
  readonly isCut: boolean
}

/**
 * The beginning of an answer as text that can be stored and printed: without the secrets of the webhook that a receiver may repeat. Bytes
 * that are no UTF-8, and control characters other than line breaks and tabs, become `U+FFFD`.
 */
export function shownAnswer(body: Buffer, receiver: Receiver): ShownAnswer {
  const hidden = hiddenIn(receiver)
  const isRead = body.length < webhookBounds.webhookAnswer.most
  const withMarks = masked(body.toString('utf8'), hidden)
  const safe = isRead ? withMarks : withoutBeginnings(withMarks, hidden)
  const text = safe.replaceAll(/[^\P{C}\n\t]/gu, '\u{fffd}')
  const shown = Buffer.from(text)
  return {
    text: new TextDecoder().decode(shown.subarray(0, mostShown), { stream: true }),
    isCut: shown.length > mostShown,
  }
}

/** The text without the values of the headers, the credentials in them, and the secrets of the signature. */
export function withoutSecrets(text: string, receiver: Credentials): string {
  return masked(text, hiddenIn(receiver))
}

type Credentials = Pick<Receiver, 'headers' | 'secrets'>

interface Hidden {
  readonly word: string
  readonly mark: string
}

/** What is hidden, as it is and as JSON and HTML write it, the longest first. */
function hiddenIn({ headers, secrets }: Credentials): Hidden[] {
  const words = [
    ...Object.values(headers).flatMap(value => [value, ...value.split(' ')].map(word => ({ word, mark: '[header]' }))),
    ...secrets.flatMap(secret => [secret, secret.replace('whsec_', '')].map(word => ({ word, mark: '[secret]' }))),
  ]
  return words
    .filter(({ word }) => word.length >= shortestCredential)
    .flatMap(({ word, mark }) => [...writtenForms(word)].map(form => ({ word: form, mark })))
    .toSorted((one, other) => other.word.length - one.word.length)
}

function writtenForms(word: string): Set<string> {
  const json = JSON.stringify(word).slice(1, -1)
  const html = word.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const quoted = html.replaceAll('"', '&quot;')
  const quotes = [`'`, '&#39;', '&#039;', '&apos;', '&#x27;']
  const inHtml = [html, quoted].flatMap(text => quotes.map(quote => text.replaceAll(`'`, quote)))
  return new Set([word, json, json.replaceAll('/', '\\/'), ...inHtml])
}

/** A text that was cut, without the beginning of a hidden word at its end. */
function withoutBeginnings(text: string, hidden: readonly Hidden[]): string {
  const lengths = hidden.map(({ word }) => {
    let length = word.length - 1
    while (length > 0 && !text.endsWith(word.slice(0, length))) length -= 1
    return length
  })
  return text.slice(0, text.length - Math.max(0, ...lengths))
}

function masked(text: string, hidden: readonly Hidden[]): string {
  return hidden.reduce((rest, { word, mark }) => rest.replaceAll(word, mark), text)
}
