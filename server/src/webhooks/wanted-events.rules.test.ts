import { describe, expect, it } from 'vitest'
import { isWanted, wantedTypes, withoutStar } from './wanted-events.rules.ts'

const event = (kind: string, changedFields: readonly string[] = [], application: string | null = null) => ({
  kind,
  resource_type: kind.split('.')[0] ?? '',
  changed_fields: changedFields,
  application_id: application,
})
const wish = { kinds: ['contact.*', 'deal.moved', 'import.failed'], changedFields: [], exceptApplication: null }

describe('events that are wanted', () => {
  it.each(['contact.created', 'contact.merged', 'deal.moved', 'import.failed'])('are those asked for: %s', kind => {
    expect(isWanted(event(kind), wish)).toBe(true)
  })

  it.each(['deal.updated', 'import.completed', 'company.created'])('exclude every other kind: %s', kind => {
    expect(isWanted(event(kind), wish)).toBe(false)
  })

  it('are updates of the fields asked for, and everything else that happens to a record', () => {
    const asked = { ...wish, changedFields: ['name'] }
    expect(isWanted(event('contact.updated', ['tags', 'name']), asked)).toBe(true)
    expect(isWanted(event('contact.updated', ['tags']), asked)).toBe(false)
    expect(isWanted(event('contact.deleted'), asked)).toBe(true)
  })

  it('are not those of an application that is left out', () => {
    const asked = { ...wish, exceptApplication: 'a' }
    expect(isWanted(event('contact.updated', [], 'a'), asked)).toBe(false)
    expect(isWanted(event('contact.updated', [], 'b'), asked)).toBe(true)
  })
})

describe('a star', () => {
  it('stands for everything about records, and not for the ends of jobs', () => {
    const kinds = withoutStar(['*', 'import.completed'], ['contact', 'deal'])
    expect(kinds).toEqual(['contact.*', 'deal.*', 'import.completed'])
    expect([...wantedTypes({ kinds })]).toEqual(['contact', 'deal', 'import'])
    expect(isWanted(event('import.failed'), { ...wish, kinds })).toBe(false)
  })
})
