import { describe, expect, it } from 'vitest'
import { type Wish, wantedKinds, wantedTypes, withoutStar } from './wanted-events.rules.ts'

const event = (kind: string, changedFields: readonly string[] = [], application: string | null = null) => ({
  kind,
  resourceType: kind.split('.')[0] ?? '',
  changedFields,
  applicationId: application,
})
const wish: Wish = { kinds: ['contact.*', 'deal.moved', 'import.failed'], changedFields: [], exceptApplication: null }

const isWanted = (one: ReturnType<typeof event>, asked: Wish) => wantedKinds(one, undefined, asked).length > 0

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

describe('a kind that is derived from an event', () => {
  const moved = event('deal.moved', ['stageUuid', 'status'], 'a')
  const of = (kinds: string[], asked = {}) => wantedKinds(moved, 'deal.won', { ...wish, kinds, ...asked })

  it('follows the kind of the event, and is wanted only by its name', () => {
    expect(of(['deal.won', 'deal.moved'])).toEqual(['deal.moved', 'deal.won'])
    expect(of(['deal.won'])).toEqual(['deal.won'])
    expect(of(['deal.lost'])).toEqual([])
    expect(of(['deal.*'])).toEqual(['deal.moved'])
    expect(of(['deal.*', 'deal.won'])).toEqual(['deal.moved', 'deal.won'])
  })

  it('is left out with the event of an application that is left out, and asks for no changed field', () => {
    expect(of(['deal.won'], { exceptApplication: 'a' })).toEqual([])
    expect(of(['deal.won'], { changedFields: ['title'] })).toEqual(['deal.won'])
  })
})
