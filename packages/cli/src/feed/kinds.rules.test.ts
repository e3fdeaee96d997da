import { describe, expect, test } from 'vitest'
import { wantedKinds, wishOf } from './kinds.rules.ts'

describe('a wish', () => {
  test('for a star is one for everything about records, and asks the feed for no types', () => {
    const kinds = ['contact.*', 'company.*', 'deal.*', 'task.*']
    expect(wishOf(['*'])).toEqual({ kinds, resourceTypes: undefined })
    expect(wishOf(['*, deal.won'])).toEqual({ kinds: [...kinds, 'deal.won'], resourceTypes: undefined })
  })

  test('asks the feed for the types of its kinds alone', () => {
    expect(wishOf(['task.created,deal.won', 'import.*'])).toMatchObject({ resourceTypes: ['deal', 'task', 'import'] })
    expect(wishOf(['*', 'export.failed'])).toMatchObject({
      resourceTypes: ['contact', 'company', 'deal', 'task', 'export'],
    })
  })

  test.each([
    ['deal.one', 'there are no events deal.one: did you mean deal.won?'],
    ['contacts.created', 'there are no events contacts.created: did you mean contact.created'],
    ['', 'there are no events '],
  ])('for "%s" is refused', (word, said) => expect(wishOf([word])).toContain(said))
})

describe('an event', () => {
  const moved = { kind: 'deal.moved', resourceType: 'deal' }
  test.each([
    [['deal.*'], ['deal.moved']],
    [['deal.won'], ['deal.won']],
    [
      ['deal.won', 'deal.moved'],
      ['deal.moved', 'deal.won'],
    ],
    [['contact.*', 'deal.lost'], []],
  ])('that won a deal is wanted by %j as %j', (kinds, wanted) => {
    expect(wantedKinds(moved, 'deal.won', { kinds, resourceTypes: undefined })).toEqual(wanted)
  })
})
