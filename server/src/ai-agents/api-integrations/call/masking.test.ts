import { expect, it } from 'vitest'
import { Masking } from './masking.ts'

it('hides a secret whatever characters it has', () => {
  const visible = Array.from({ length: 94 }, (_, index) => String.fromCodePoint(33 + index))
  for (const character of [...visible, 'ä', '🂡']) {
    const secret = `1${character}2`
    expect(new Masking(secret, null).mask(`<${secret}>`)).toBe('<[secret]>')
  }
})

it('hides it in both alphabets of Base64', () => {
  const secret = '>>>???~~~'
  const forms = [Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('base64url')]
  expect(forms).toEqual(['Pj4+Pz8/fn5+', 'Pj4-Pz8_fn5-'])
  expect(new Masking(secret, null).mask(forms.join())).toBe('[secret],[secret]')
})
