import { describe, expect, it } from 'vitest'
import { checkedRange } from './replay-range.rules.ts'

const ground = { oldest: 12, head: 90, position: 70 }

describe('the range of a replay', () => {
  it('includes both ends, and goes to the position of the webhook if it has no end', () => {
    expect(checkedRange({ fromSeq: 12, toSeq: 70 }, ground)).toEqual({ fromSeq: 12, toSeq: 70 })
    expect(checkedRange({ fromSeq: 30 }, ground)).toEqual({ fromSeq: 30, toSeq: 70 })
  })

  it.each([
    [{ fromSeq: 11, toSeq: 20 }, 'the feed no longer has event 11: it has 12 to 90'],
    [{ fromSeq: 11 }, 'the feed no longer has event 11: it has 12 to 90'],
    [{ fromSeq: 91 }, 'the feed has no event 91: it has 12 to 90'],
    [{ fromSeq: 20, toSeq: 91 }, 'the feed has no event 91: it has 12 to 90'],
    [{ fromSeq: 71 }, 'the webhook is at event 70, and later ones are sent without a replay'],
    [{ fromSeq: 20, toSeq: 71 }, 'the webhook is at event 70, and later ones are sent without a replay'],
    [{ fromSeq: 21, toSeq: 20 }, 'event 20 comes before event 21'],
  ])('%j is refused', (asked, why) => {
    expect(checkedRange(asked, ground)).toEqual({ why })
  })

  it('is refused if the feed is empty', () => {
    expect(checkedRange({ fromSeq: 1 }, { oldest: 1, head: 0, position: 0 })).toEqual({
      why: 'the feed has no events',
    })
  })
})
