import { describe, expect, it } from 'vitest'
import { webhookBounds } from './bounds.ts'
import { shownAnswer } from './shown-answer.ts'

const secret = `whsec_${'a/b+'.repeat(10)}=`
const receiver = (headers: Readonly<Record<string, string>>) => ({
  url: new URL('https://hooks.example/crm'),
  headers,
  secrets: [secret],
})

describe('the shown part of an answer', () => {
  it.each([
    ['as it is', (word: string) => word],
    ['in JSON', (word: string) => JSON.stringify(word)],
    ['in JSON with escaped slashes', (word: string) => JSON.stringify(word).replaceAll('/', '\\/')],
    ['in HTML', (word: string) => word.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')],
  ])('has neither a secret nor a value of a header, repeated %s', (_, written) => {
    const value = `Bearer "k/e&y<${'x'.repeat(10)}`
    const { text } = shownAnswer(
      Buffer.from(`got ${written(value)} and ${written(secret)}`),
      receiver({ authorization: value }),
    )
    expect(text).toMatch(/^got .*\[header\].* and .*\[secret\]/u)
    expect(text).not.toMatch(/x{4}|a.?.?b\+/u)
  })

  it('has no part of a value that the end of the answer cuts', () => {
    const values = Array.from('vwxyz', letter => letter.repeat(900))
    const body = Buffer.from(values.join(' ')).subarray(0, webhookBounds.webhookAnswer.most)
    const headers = Object.fromEntries(values.map((value, index) => [`x-${index}`, value]))
    expect(shownAnswer(body, receiver(headers)).text).toMatch(/^(\[header\] ?)+$/u)
  })
})
