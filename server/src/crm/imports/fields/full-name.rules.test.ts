import { describe, expect, it } from 'vitest'
import { splitFullName } from './full-name.rules.ts'

function split(name: string, isLastNameFirst = false) {
  const { firstName, middleName, lastName } = splitFullName(name, isLastNameFirst)
  return [firstName, middleName, lastName].map(part => part ?? '').join('|')
}

describe('a full name', () => {
  it.each([
    ['Anna Petrova', 'Anna||Petrova'],
    ['  Anna   Maria  Petrova ', 'Anna Maria||Petrova'],
    ['Petrova, Anna', 'Anna||Petrova'],
    ['van der Berg, Jan', 'Jan||van der Berg'],
    ['Garcia Marquez, Gabriel Jose', 'Gabriel Jose||Garcia Marquez'],
  ])('is split at its comma or before its last word: %s', (name, expected) => {
    expect(split(name)).toBe(expected)
  })

  it.each([
    ['Jan van der Berg', 'Jan||van der Berg'],
    ['Jan Van Der Berg', 'Jan||Van Der Berg'],
    ['Ludwig von Mises', 'Ludwig||von Mises'],
    ['Oscar de la Hoya', 'Oscar||de la Hoya'],
    ['Ali bin Hassan', 'Ali||bin Hassan'],
    ['Omar al-Bashir', 'Omar||al-Bashir'],
    ['von Berg', '||von Berg'],
    ['Van Morrison', 'Van||Morrison'],
    ['Ben Stiller', 'Ben||Stiller'],
    ['Anna Da', 'Anna||Da'],
  ])('keeps particles with the last name: %s', (name, expected) => {
    expect(split(name)).toBe(expected)
  })

  it.each([
    ['Dr. Anna Petrova', 'Anna||Petrova'],
    ['Frau Prof. Dr. med. Anna Müller', 'Anna||Müller'],
    ['Mr John Smith Jr.', 'John||Smith'],
    ['Smith, John, Jr.', 'John||Smith'],
    ['John Smith, Ph.D.', 'John||Smith'],
    ['Henry Ford III', 'Henry||Ford'],
    ['Yo-Yo Ma', 'Yo-Yo||Ma'],
    ['Dr.', '||Dr.'],
    ['Herr Maier', '||Maier'],
    ['PhD', '||PhD'],
  ])('loses titles and suffixes, unless it is nothing else: %s', (name, expected) => {
    expect(split(name)).toBe(expected)
  })

  it.each([
    ['Madonna', '||Madonna'],
    [', Anna', '||Anna'],
    ['Petrova,', '||Petrova'],
    [',', '||,'],
  ])('of one word is a last name: %s', (name, expected) => {
    expect(split(name)).toBe(expected)
  })

  it.each([
    ['Петрова Анна Ивановна', 'Анна|Ивановна|Петрова'],
    ['Алиев Вагиф Рашид оглы', 'Вагиф|Рашид оглы|Алиев'],
    ['Иван Сергеевич Петров', 'Иван|Сергеевич|Петров'],
    ['Иван Сергеевич Петкович', 'Иван|Сергеевич|Петкович'],
    ['山田 太郎', '太郎||山田'],
  ])('shows its order by itself where it can: %s', (name, expected) => {
    expect(split(name)).toBe(expected)
  })

  it.each([
    ['Петров Иван', 'Иван||Петров'],
    ['Петров', '||Петров'],
    ['von Berg Anna Maria', 'Anna|Maria|von Berg'],
  ])('begins with the last name where its header says so: %s', (name, expected) => {
    expect(split(name, true)).toBe(expected)
  })
})
