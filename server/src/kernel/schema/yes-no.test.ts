import { expect, it } from 'vitest'
import { truthInWords, truthOf } from './yes-no.ts'

it('yes and no are understood in ten languages, ignoring case', () => {
  const yes = ['yes', 'Y', 'TRUE', 'ja', 'J', 'wahr', 'Да', 'oui', 'sí', 'si', 'sì', 'sim', 'waar', 'tak', 'так', 'x']
  const no = ['no', 'N', 'false', 'nein', 'FALSCH', 'нет', 'non', 'não', 'nee', 'onwaar', 'nie', 'fałsz', 'ні']
  expect(yes.map(truthInWords)).toEqual(yes.map(() => true))
  expect(no.map(truthInWords)).toEqual(no.map(() => false))
  expect(['1', '0', '2', 'maybe', ''].map(truthOf)).toEqual([true, false, undefined, undefined, undefined])
  expect(truthInWords('1')).toBeUndefined()
})
