import { violates } from '../../errors/index.ts'
import { textColumn } from '../column.ts'
import type { Field } from '../field.ts'

interface WebsitesOptions {
  readonly most: number
  readonly description: string
}

/** Up to `most` absolute http(s) addresses; a duplicate is refused (422). */
export function websites({ most, description }: WebsitesOptions): Field<readonly string[]> {
  return {
    column: 'jsonb',
    input: { type: 'array', maxItems: most, items: { type: 'string', format: 'web-address', maxLength: 2048 } },
    initial: [],
    merge: { listOf: () => ({ most, identify: address => new URL(String(address)).href }) },
    description,
    example: ['https://example.com'],
    columns: () => [1, 2, 3].map(number => textColumn(`website${number}`, 'url', [number - 1])),
    tidy: value => (Array.isArray(value) ? value.map(item => (typeof item === 'string' ? item.trim() : item)) : value),
    accept(value, _previous, { path }) {
      if (!Array.isArray(value)) return []
      const addresses = value.map(String)
      const seen = new Set<string>()
      for (const [index, address] of addresses.entries()) {
        const comparable = new URL(address).href
        if (seen.has(comparable)) return violates(`${path}/${index}`, 'unique', 'The same address is given twice')
        seen.add(comparable)
      }
      return addresses
    },
  }
}
