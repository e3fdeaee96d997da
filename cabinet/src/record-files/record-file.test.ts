import { expect, test } from 'vitest'
import { formatSize, isShown, linkOf, portionsOf } from './record-file.ts'

const mebibyte = 1024 * 1024
const file = {
  id: 'a',
  name: 'a.png',
  mimeType: 'image/png',
  sizeBytes: 1,
  url: 'https://crm.example/files/abc',
  createdAt: '2026-11-28T10:00:00Z',
}

test('files go in portions of ten', () => {
  const files = Array.from({ length: 23 }, () => ({ size: 1 }))
  expect(portionsOf(files).map(({ length }) => length)).toEqual([10, 10, 3])
})

test('a portion has as many bytes as a request takes, and a larger file comes alone', () => {
  const sizes = [60, 40, 1, 300, 2].map(size => ({ size: size * mebibyte }))
  expect(portionsOf(sizes).map(portion => portion.map(({ size }) => size / mebibyte))).toEqual([
    [60, 40],
    [1],
    [300],
    [2],
  ])
})

test('only images that run nothing are shown', () => {
  expect(isShown(file)).toBe(true)
  for (const mimeType of ['image/svg+xml', 'text/html', 'application/pdf']) {
    expect(isShown({ ...file, mimeType })).toBe(false)
  }
})

test('a link is opened on the host of the page', () => {
  expect(linkOf(file)).toBe('/files/abc')
})

test.for([
  [0, '0 byte'],
  [999, '999 byte'],
  [1_400_000, '1.4 MB'],
  [52_100, '52 kB'],
] as const)('%i bytes are %s', ([bytes, text]) => {
  expect(formatSize(bytes, 'en')).toBe(text)
})
