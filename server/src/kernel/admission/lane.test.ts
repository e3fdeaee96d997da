import { describe, expect, test } from 'vitest'
import { ClientGone } from '../call.ts'
import { bounds } from '../limits/index.ts'
import { type Course, type GroupEnd, Lane, type Ticket } from './lane.ts'
import { Overloaded } from './turnstile.ts'

/** A write of the application that its first letter names. */
interface NamedTicket extends Ticket {
  readonly name: string
}

const mostGroups = 100

/** A course that notes its groups. What a place costs, and what becomes of a group, is a test's to say. */
class NotedCourse implements Course<NamedTicket, string> {
  readonly groups: string[] = []
  closed = 0
  open = async () => 'place'
  hasFailedAlone: (name: string) => boolean | Promise<boolean> = () => false
  endOf: (tickets: readonly NamedTicket[]) => Partial<GroupEnd<NamedTicket>> = () => ({})

  async close(): Promise<void> {
    this.closed += 1
  }

  async alone(_place: string, { name }: NamedTicket): Promise<boolean> {
    this.groups.push(name)
    return this.hasFailedAlone(name)
  }

  async together(_place: string, tickets: readonly NamedTicket[]): Promise<GroupEnd<NamedTicket>> {
    this.groups.push(tickets.map(({ name }) => name).join(' '))
    // A lane that would never come to an end does so here, with more groups than any test expects.
    const end = this.groups.length > mostGroups ? {} : this.endOf(tickets)
    return { failed: [], again: [], ...end }
  }

  /** From now on every group fails that one of these is in, and so do they by themselves. */
  fail(...names: readonly string[]): void {
    this.hasFailedAlone = name => names.includes(name)
    this.endOf = tickets => (tickets.some(({ name }) => names.includes(name)) ? { failed: tickets } : {})
  }
}

function aLane() {
  const course = new NotedCourse()
  const observed: (readonly [size: number, hasFailed: boolean])[] = []
  const starts: number[] = []
  const refused = new Map<string, unknown>()
  const observer = {
    onGroup: (size: number, hasFailed: boolean) => observed.push([size, hasFailed]),
    onStart: (seconds: number) => starts.push(seconds),
  }
  const lane = new Lane<NamedTicket, string>(course, observer, null)
  let whenIdle = () => {}
  /** Enters with writes of these names. */
  const enter = (names: string, given: Partial<NamedTicket> = {}) => {
    for (const name of names.split(' ')) {
      const ticket = { name, application: name.charAt(0), bytes: 1, records: 1, until: Number.POSITIVE_INFINITY }
      const reject = (error: unknown) => refused.set(name, error)
      lane.enter({ ...ticket, whenGone: () => () => {}, reject, ...given }, () => whenIdle())
    }
  }
  /** Enters with them, and resolves to the groups that there were when nobody is left. */
  const groupsOf = async (names: string, given?: Partial<NamedTicket>) => {
    const idle = new Promise<void>(resolve => {
      whenIdle = resolve
    })
    enter(names, given)
    if (!lane.isIdle) await idle
    return course.groups.splice(0)
  }
  return { lane, course, observed, starts, refused, enter, groupsOf }
}

const many = (letter: string, count: number) => Array.from({ length: count }, (_, index) => `${letter}${index}`)

/** A client that can leave. */
function aClient() {
  const listeners = new Set<() => void>()
  return {
    listeners,
    whenGone(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    leave: () => listeners.forEach(listener => listener()),
  }
}

describe('who comes', () => {
  test('in one turn of the event loop begins together, and who comes meanwhile together after that', async () => {
    const { course, enter, groupsOf, observed, starts } = aLane()
    course.endOf = ([first]) => {
      if (first?.name === 'a') enter('c d e')
      return {}
    }
    expect(await groupsOf('a b')).toEqual(['a b', 'c d e'])
    expect(observed).toEqual([
      [2, false],
      [3, false],
    ])
    expect(starts).toHaveLength(5)
  })

  test('while a group waits for its place is in it', async () => {
    const { course, enter, groupsOf } = aLane()
    course.open = async () => {
      enter('c')
      course.open = async () => 'place'
      return 'place'
    }
    expect(await groupsOf('a b')).toEqual(['a b c'])
  })

  test('behind one who waits by himself for a lock begins before that has ended', async () => {
    const { course, enter, groupsOf } = aLane()
    let release = (_hasFailed: boolean) => {}
    course.hasFailedAlone = () => {
      enter('b c')
      return new Promise(resolve => {
        release = resolve
      })
    }
    course.endOf = () => {
      release(false)
      return {}
    }
    expect(await groupsOf('a')).toEqual(['a', 'b c'])
  })

  test('is not in a group of too many requests, bytes, or records', async () => {
    const { groupsOf } = aLane()
    const most = bounds.groupRequests.most
    const sizes = (groups: readonly string[]) => groups.map(group => group.split(' ').length)
    expect(sizes(await groupsOf(many('a', most + 6).join(' ')))).toEqual([most, 6])
    expect(await groupsOf('a b c', { bytes: bounds.groupBytes.most / 2 })).toEqual(['a b', 'c'])
    expect(await groupsOf('a b c', { bytes: bounds.groupBytes.most / 2 + 1 })).toEqual(['a', 'b', 'c'])
    expect(await groupsOf('a b c', { records: bounds.groupRecords.most / 2 })).toEqual(['a b', 'c'])
    expect(await groupsOf('a b', { records: bounds.groupRecords.most + 1 })).toEqual(['a', 'b'])
  })

  test('when too many wait already is refused at once', async () => {
    const { refused, groupsOf } = aLane()
    await groupsOf(many('a', bounds.organizationRequests.most + 1).join(' '))
    expect([...refused.keys()]).toEqual([`a${bounds.organizationRequests.most}`])
    expect([...refused.values()]).toEqual([expect.objectContaining({ bound: 'place' })])
  })
})

describe('who leaves', () => {
  test('before the group begins is not in it, and nobody listens to those who are', async () => {
    const { course, refused, groupsOf } = aLane()
    const client = aClient()
    course.open = async () => {
      client.leave()
      return 'place'
    }
    expect(await groupsOf('a', client)).toEqual([])
    expect([refused.get('a'), course.closed]).toEqual([expect.any(ClientGone), 1])
    course.open = async () => 'place'
    expect(await groupsOf('b', client)).toEqual(['b'])
    expect(client.listeners.size).toBe(0)
  })

  test('before it has come leaves the lane as it was', async () => {
    const { lane, refused, groupsOf } = aLane()
    const whenGone = (listener: () => void) => {
      listener()
      return () => {}
    }
    expect(await groupsOf('a', { whenGone })).toEqual([])
    expect([refused.get('a'), lane.isIdle, lane.waiting]).toEqual([expect.any(ClientGone), true, 0])
  })

  test('because the time is over is told so, and the others wait on', async () => {
    const { lane, course, refused, enter, groupsOf } = aLane()
    course.open = async () => {
      lane.giveUpOverdue(2)
      return 'place'
    }
    enter('a', { until: 1 })
    expect(await groupsOf('b', { until: 3 })).toEqual(['b'])
    expect([...refused]).toEqual([['a', expect.objectContaining({ bound: 'place' })]])
  })
})

describe('where there is no place', () => {
  test('in time, the first is refused and the others wait on', async () => {
    const { course, refused, groupsOf } = aLane()
    course.open = async () => {
      course.open = async () => 'place'
      throw new Overloaded('place')
    }
    expect(await groupsOf('a b c')).toEqual(['b c'])
    expect([...refused.keys()]).toEqual(['a'])
  })

  test('because there is no database, all are refused with its reason', async () => {
    const { course, refused, groupsOf } = aLane()
    const reason = new Error('no database')
    course.open = async () => {
      throw reason
    }
    expect(await groupsOf('a b')).toEqual([])
    expect([...refused]).toEqual([
      ['a', reason],
      ['b', reason],
    ])
  })
})

describe('a group that fails', () => {
  test('is run again in halves, until the one is by itself who always fails', async () => {
    const { course, observed, groupsOf } = aLane()
    course.fail('P')
    expect(await groupsOf('a b c P e f g h')).toEqual([
      ...['a b c P e f g h', 'a b c P', 'a b', 'c P', 'c', 'P'],
      'e f g h',
    ])
    expect(observed.filter(([, hasFailed]) => hasFailed).map(([size]) => size)).toEqual([8, 4, 2])
  })

  test('gives the application whose write has failed groups of its own, which take turns with the others', async () => {
    const { course, groupsOf } = aLane()
    course.fail('P0')
    await groupsOf('P0')
    expect(await groupsOf('P1 P2 P3 a b c')).toEqual(['P1', 'a b c', 'P2 P3'])
  })

  test('does so until enough groups have not failed', async () => {
    const { course, groupsOf } = aLane()
    course.fail('P0')
    await groupsOf('P0')
    const sizes = (await groupsOf(many('P', 64).slice(1).join(' '))).map(group => group.split(' ').length)
    expect(sizes).toEqual([1, 2, 4, 8, 16, 32])
    expect(await groupsOf('P1 a')).toEqual(['P1 a'])
  })

  test('of such an application makes its next ones small again', async () => {
    const { course, groupsOf } = aLane()
    course.fail('P0', 'P5')
    await groupsOf('P0')
    expect(await groupsOf('P1 P2 P3 P4 P5 P6 P7')).toEqual([
      ...['P1', 'P2 P3', 'P4 P5 P6 P7'],
      ...['P4 P5', 'P4', 'P5', 'P6', 'P7'],
    ])
    expect(await groupsOf('P1 P2 P3 P4 P6')).toEqual(['P1 P2 P3 P4', 'P6'])
  })

  test('of several applications makes none of them have groups of its own', async () => {
    const { course, groupsOf } = aLane()
    course.endOf = tickets => (tickets.length > 2 ? { failed: tickets } : {})
    expect(await groupsOf('a b c d')).toEqual(['a b c d', 'a b', 'c d'])
    expect(await groupsOf('a b')).toEqual(['a b'])
  })
})

describe('who has to be decided again', () => {
  test('goes before those who came meanwhile, and in a group as large', async () => {
    const { course, observed, enter, groupsOf } = aLane()
    course.endOf = ([, ...rest]) => {
      course.endOf = () => ({})
      enter('e f')
      return { again: rest }
    }
    expect(await groupsOf('a b c d')).toEqual(['a b c d', 'b c d e f'])
    expect(observed.some(([, hasFailed]) => hasFailed)).toBe(false)
  })

  test('with all others of the group is told of once, as having begun and as having run', async () => {
    const { course, observed, starts, enter, groupsOf } = aLane()
    course.endOf = again => {
      course.endOf = () => ({})
      enter('e f')
      return { again }
    }
    expect(await groupsOf('a b c d')).toEqual(['a b c d', 'a b c d e f'])
    expect(observed).toEqual([[6, false]])
    expect(starts.length).toBe(6)
  })

  test('three times is tried in halves from then on', async () => {
    const { course, groupsOf } = aLane()
    course.endOf = again => ({ again })
    expect(await groupsOf('a b c d')).toEqual([
      ...['a b c d', 'a b c d', 'a b c d'],
      ...['a b', 'a', 'b', 'c d', 'c', 'd'],
    ])
  })
})
