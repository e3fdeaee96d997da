import { describe, expect, it } from 'vitest'
import { ReplayCourse } from './replay-course.rules.ts'

const none = { delivered: 0, failed: 0, gone: 0 }
const course = (only: readonly number[] | null = null) => new ReplayCourse({ id: 'one', toSeq: 20, only, counts: none })

describe('the course of a replay', () => {
  it('ends at its last event, also where the feed goes on', () => {
    expect([course().lastOf(30), course().lastOf(8)]).toEqual([20, 8])
    expect([course().has(20), course().has(21)]).toEqual([true, false])
    expect([course().progress(19).isEnded, course().progress(20).isEnded]).toEqual([false, true])
  })

  it('contains only the chosen events, and skips the numbers between them at once', () => {
    const chosen = course([12, 5])
    expect([4, 5, 6, 12].map(seq => chosen.has(seq))).toEqual([false, true, false, true])
    expect([0, 4, 5, 11, 12].map(seq => chosen.emptyAfter(seq))).toEqual([4, 4, 11, 11, 20])
    expect(course().emptyAfter(7)).toBe(7)
  })

  it('counts what was delivered or refused, and not what is sent again', () => {
    const counted = course()
    for (const kind of ['delivered', 'down', 'refused', 'gone', 'delivered'] as const) counted.count({ kind })
    expect(counted.progress(3)).toEqual({
      id: 'one',
      delivered: 2,
      failed: 1,
      gone: 0,
      isEnded: false,
      reason: null,
    })
  })

  it('leaves out events that the feed has dropped, and counts those of the replay as gone', () => {
    const whole = course()
    expect(whole.leaveOut(4, 8)).toBe(7)
    expect(whole.progress(7).gone).toBe(3)
    expect([whole.leaveOut(4, 8), whole.progress(7).gone]).toEqual([7, 3])
    expect(whole.leaveOut(7, 90)).toBe(20)
    expect(whole.progress(20).gone).toBe(16)
    const chosen = course([5, 12])
    expect(chosen.leaveOut(0, 10)).toBe(9)
    expect(chosen.progress(9).gone).toBe(1)
    // A feed that has become shorter does not lead back.
    expect(course().leaveOut(15, 1)).toBe(15)
  })

  it('that is stopped has ended, and says why', () => {
    const stopped = course()
    stopped.stop('epoch')
    expect([stopped.isStopped, stopped.progress(3)]).toMatchObject([true, { isEnded: true, reason: 'epoch' }])
  })
})
