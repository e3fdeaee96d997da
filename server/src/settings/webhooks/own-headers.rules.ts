import { isHeaderValue, isSameHeader, wrongHeaderName } from '../../kernel/schema/index.ts'

/** A header that each delivery has besides those of the server. */
export interface OwnHeader {
  readonly name: string
  readonly value: string
}

const most = 10
const mostOfName = 100
const mostOfValue = 1000

/** Headers that describe the body, the signature and the delivery itself. */
const taken = /^(?:content-.*|webhook-.*|crm-.*)$/iu

/** What is wrong with the headers of a subscription; null if they are valid. No message quotes a value. */
export function wrongOwnHeaders(headers: readonly OwnHeader[]): string | null {
  if (headers.length > most) return `a webhook has at most ${most} headers of its own`
  for (const [index, { name, value }] of headers.entries()) {
    const wrongName = wrongNameOf(name)
    if (wrongName !== null) return wrongName
    if (headers.findIndex(other => isSameHeader(other.name, name)) < index) return `there are two headers ${name}`
    if (value === '' || value.length > mostOfValue)
      return `the value of the header ${name} takes 1 to ${mostOfValue} characters`
    if (!isHeaderValue(value))
      return `the value of the header ${name} has visible ASCII characters, with spaces only between them`
  }
  return null
}

function wrongNameOf(name: string): string | null {
  if (name.length > mostOfName) return `the name of a header takes at most ${mostOfName} characters`
  if (isSameHeader(name, 'Cookie')) return 'a webhook sends no cookies'
  return taken.test(name) ? `The header ${name} is made by the server` : wrongHeaderName(name)
}
