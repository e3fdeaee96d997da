import type { Message } from '../../kernel/mail/index.ts'
import { mailLanguages } from './words.ts'

/** What a mail shows of a name, which others choose. */
const shownCharacters = 80

/** The mail with a link that resets the password of the account with this address. */
export function composeReset(
  { email, link }: { readonly email: string; readonly link: string },
  locale: string,
): Message {
  return { to: email, ...written(mailLanguages[languageOf(locale)].reset(email), link, languageOf(locale)) }
}

interface InvitationFacts {
  readonly email: string
  readonly organization: string
  readonly link: string
  readonly expiresAt: string
}

/**
 * The mail with a link that accepts an invitation. It shows the name of the organization alone: what the inviter has written about the person
 * could be anything.
 */
export function composeInvitation({ email, organization, link, expiresAt }: InvitationFacts, locale: string): Message {
  const language = languageOf(locale)
  const until = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(expiresAt))
  return { to: email, ...written(mailLanguages[language].invitation(shownName(organization), until), link, language) }
}

type Language = keyof typeof mailLanguages

/** The language of the mail: that of the locale, or English. */
function languageOf(locale: string): Language {
  const [language] = locale.toLowerCase().split('-')
  return language === 'de' || language === 'ru' ? language : 'en'
}

/** A name in one line, without what a program that shows mail makes a link of. */
function shownName(name: string): string {
  const line = name.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').replaceAll(/(?:https?:)?\/\/|(?<=\S)\.(?=\S)/giu, ' ')
  return [...line.trim()].slice(0, shownCharacters).join('')
}

function written(
  { subject, before, link: words, after }: ReturnType<(typeof mailLanguages)[Language]['reset']>,
  link: string,
  language: Language,
): Omit<Message, 'to'> {
  const paragraph = (inner: string) => `<p>${inner}</p>`
  const html = [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${escaped(subject)}</title></head>`,
    '<body style="font-family: sans-serif; line-height: 1.5">',
    paragraph(escaped(before)),
    paragraph(`<a href="${escaped(link)}">${escaped(words)}</a>`),
    ...after.map(text => paragraph(escaped(text))),
    '</body></html>',
  ].join('\n')
  return { subject, text: `${[before, link, ...after].join('\n\n')}\n`, html }
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/gu, character => entities[character] ?? character)
}
