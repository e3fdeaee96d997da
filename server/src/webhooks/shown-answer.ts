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
  const text = withoutSecrets(body.toString('utf8'), receiver).replaceAll(/[^\P{C}\n\t]/gu, '\u{fffd}')
  const shown = Buffer.from(text)
  return {
    text: new TextDecoder().decode(shown.subarray(0, mostShown), { stream: true }),
    isCut: shown.length > mostShown,
  }
}

/** The text without the values of the headers, the credentials in them, and the secrets of the signature. */
export function withoutSecrets(text: string, { headers, secrets }: Pick<Receiver, 'headers' | 'secrets'>): string {
  const hidden = [
    ...Object.values(headers).flatMap(value => [value, ...value.split(' ')].map(word => [word, '[header]'] as const)),
    ...secrets.flatMap(secret => [secret, secret.replace('whsec_', '')].map(word => [word, '[secret]'] as const)),
  ]
  return hidden
    .filter(([word]) => word.length >= shortestCredential)
    .toSorted(([one], [other]) => other.length - one.length)
    .reduce((masked, [word, mark]) => masked.replaceAll(word, mark), text)
}
