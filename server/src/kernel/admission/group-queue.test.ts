import { describe, expect, test } from 'vitest'
import { ClientGone } from '../input/call.ts'
import { bounds } from '../limits/index.ts'
import { Overloaded } from './fair-semaphore.ts'
import { type GroupEnd, GroupQueue, type GroupRunner, type QueuedWrite } from './group-queue.ts'

/** A write of the client that its first letter names. */
interface NamedWrite extends QueuedWrite {
  readonly name: string
}

const mostGroups = 100

/** A runner that notes its groups. What a place costs, and what becomes of a group, is a test's to say. */
class NotedCourse implements GroupRunner<NamedWrite, string> {
  readonly groups: string[] = []
  closed = 0
  open = async () => 'place'
  hasFailedAlone: (name: string) => boolean | Promise<boolean> = () => false
  endOf: (writes: readonly NamedWrite[]) => Partial<GroupEnd<NamedWrite>> = () => ({})

  async close(): Promise<void> {
    this.closed += 1
  }

  async alone(_place: string, { name }: NamedWrite): Promise<boolean> {
    this.groups.push(name)
    return this.hasFailedAlone(name)
  }

  async together(_place: string, writes: readonly NamedWrite[]): Promise<GroupEnd<NamedWrite>> {
    this.groups.push(writes.map(({ name }) => name).join(' '))
    // A queue that would never come to an end does so here, with more groups than any test expects.
    const end = this.groups.length > mostGroups ? {} : this.endOf(writes)
    return { failed: [], again: [], ...end }
  }

  /** From now on every group fails that one of these is in, and so do they by themselves. */
  fail(...names: readonly string[]): void {
    this.hasFailedAlone = name => names.includes(name)
    this.endOf = writes => (writes.some(({ name }) => names.includes(name)) ? { failed: writes } : {})
  }
}

function aQueue() {
  const runner = new NotedCourse()
  const observed: (readonly [size: number, hasFailed: boolean])[] = []
  const starts: number[] = []
  const refused = new Map<string, unknown>()
  const observer = {
    onGroup: (size: number, hasFailed: boolean) => observed.push([size, hasFailed]),
    onStart: (seconds: number) => starts.push(seconds),
  }
  const queue = new GroupQueue<NamedWrite, string>(runner, observer, null)
  let whenIdle = () => {}
  /** Enters with writes of these names. */
  const enter = (names: string, given: Partial<NamedWrite> = {}) => {
    for (const name of names.split(' ')) {
      const write = { name, client: name.charAt(0), bytes: 1, records: 1, until: Number.POSITIVE_INFINITY }
      const reject = (error: unknown) => refused.set(name, error)
      queue.enter({ ...write, whenGone: () => () => {}, reject, ...given }, () => whenIdle())
    }
  }
  /** Enters with them, and resolves to the groups that there were when nobody is left. */
  const groupsOf = async (names: string, given?: Partial<NamedWrite>) => {
    const idle = new Promise<void>(resolve => {
      whenIdle = resolve
    })
    enter(names, given)
    await idle
    return runner.groups.splice(0)
  }
  return { queue, runner, observed, starts, refused, enter, groupsOf }
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

describe('a write that comes', () => {
  test('in one turn of the event loop shares a group with the others, and later ones share the next', async () => {
    const { runner, enter, groupsOf, observed, starts } = aQueue()
    runner.endOf = ([first]) => {
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

  test('while a group waits for its place joins it', async () => {
    const { runner, enter, groupsOf } = aQueue()
    runner.open = async () => {
      enter('c')
      runner.open = async () => 'place'
      return 'place'
    }
    expect(await groupsOf('a b')).toEqual(['a b c'])
  })

  test('behind one that waits alone for a lock begins before that one has ended', async () => {
    const { runner, enter, groupsOf } = aQueue()
    let release = (_hasFailed: boolean) => {}
    runner.hasFailedAlone = () => {
      enter('b c')
      return new Promise(resolve => {
        release = resolve
      })
    }
    runner.endOf = () => {
      release(false)
      return {}
    }
    expect(await groupsOf('a')).toEqual(['a', 'b c'])
  })

  test('is not in a group of too many requests, bytes, or records', async () => {
    const { groupsOf } = aQueue()
    const most = bounds.groupRequests.most
    const sizes = (groups: readonly string[]) => groups.map(group => group.split(' ').length)
    expect(sizes(await groupsOf(many('a', most + 6).join(' ')))).toEqual([most, 6])
    expect(await groupsOf('a b c', { bytes: bounds.groupBytes.most / 2 })).toEqual(['a b', 'c'])
    expect(await groupsOf('a b c', { bytes: bounds.groupBytes.most / 2 + 1 })).toEqual(['a', 'b', 'c'])
    expect(await groupsOf('a b c', { records: bounds.groupRecords.most / 2 })).toEqual(['a b', 'c'])
    expect(await groupsOf('a b', { records: bounds.groupRecords.most + 1 })).toEqual(['a', 'b'])
  })

  test('when too many wait already is refused at once', async () => {
    const { refused, groupsOf } = aQueue()
    await groupsOf(many('a', bounds.organizationRequests.most + 1).join(' '))
    expect([...refused.keys()]).toEqual([`a${bounds.organizationRequests.most}`])
    expect([...refused.values()]).toEqual([expect.objectContaining({ bound: 'place' })])
  })
})

describe('a write whose client leaves', () => {
  test('before the group begins is not in it, and the queue no longer watches the clients of the group', async () => {
    const { runner, refused, groupsOf } = aQueue()
    const client = aClient()
    runner.open = async () => {
      client.leave()
      return 'place'
    }
    expect(await groupsOf('a', client)).toEqual([])
    expect([refused.get('a'), runner.closed]).toEqual([expect.any(ClientGone), 1])
    runner.open = async () => 'place'
    expect(await groupsOf('b', client)).toEqual(['b'])
    expect(client.listeners.size).toBe(0)
  })

  test('before it has come leaves the queue as it was', async () => {
    const { queue, refused, groupsOf } = aQueue()
    const whenGone = (listener: () => void) => {
      listener()
      return () => {}
    }
    expect(await groupsOf('a', { whenGone })).toEqual([])
    expect([refused.get('a'), queue.waiting]).toEqual([expect.any(ClientGone), 0])
  })

  test('because its time is over gets that reason, and the others wait on', async () => {
    const { queue, runner, refused, enter, groupsOf } = aQueue()
    runner.open = async () => {
      queue.giveUpOverdue(2)
      return 'place'
    }
    enter('a', { until: 1 })
    expect(await groupsOf('b', { until: 3 })).toEqual(['b'])
    expect([...refused]).toEqual([['a', expect.objectContaining({ bound: 'place' })]])
  })
})

describe('a queue without a place', () => {
  test('in time refuses the first write and lets the others wait on', async () => {
    const { runner, refused, groupsOf } = aQueue()
    runner.open = async () => {
      runner.open = async () => 'place'
      throw new Overloaded('place')
    }
    expect(await groupsOf('a b c')).toEqual(['b c'])
    expect([...refused.keys()]).toEqual(['a'])
  })

  test('because there is no database refuses all with its reason', async () => {
    const { runner, refused, groupsOf } = aQueue()
    const reason = new Error('no database')
    runner.open = async () => {
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
  test('is run again in halves, until the write that always fails is alone', async () => {
    const { runner, observed, groupsOf } = aQueue()
    runner.fail('P')
    expect(await groupsOf('a b c P e f g h')).toEqual([
      ...['a b c P e f g h', 'a b c P', 'a b', 'c P', 'c', 'P'],
      'e f g h',
    ])
    expect(observed.filter(([, hasFailed]) => hasFailed).map(([size]) => size)).toEqual([8, 4, 2])
  })

  test('gives the client whose write has failed groups of its own, which take turns with the others', async () => {
    const { runner, groupsOf } = aQueue()
    runner.fail('P0')
    await groupsOf('P0')
    expect(await groupsOf('P1 P2 P3 a b c')).toEqual(['P1', 'a b c', 'P2 P3'])
  })

  test('does so until enough groups have not failed', async () => {
    const { runner, groupsOf } = aQueue()
    runner.fail('P0')
    await groupsOf('P0')
    const sizes = (await groupsOf(many('P', 64).slice(1).join(' '))).map(group => group.split(' ').length)
    expect(sizes).toEqual([1, 2, 4, 8, 16, 32])
    expect(await groupsOf('P1 a')).toEqual(['P1 a'])
  })

  test('of such a client makes its next ones small again', async () => {
    const { runner, groupsOf } = aQueue()
    runner.fail('P0', 'P5')
    await groupsOf('P0')
    expect(await groupsOf('P1 P2 P3 P4 P5 P6 P7')).toEqual([
      ...['P1', 'P2 P3', 'P4 P5 P6 P7'],
      ...['P4 P5', 'P4', 'P5', 'P6', 'P7'],
    ])
    expect(await groupsOf('P1 P2 P3 P4 P6')).toEqual(['P1 P2 P3 P4', 'P6'])
  })

  test('of several clients makes none of them have groups of its own', async () => {
    const { runner, groupsOf } = aQueue()
    runner.endOf = writes => (writes.length > 2 ? { failed: writes } : {})
    expect(await groupsOf('a b c d')).toEqual(['a b c d', 'a b', 'c d'])
    expect(await groupsOf('a b')).toEqual(['a b'])
  })
})

describe('a write that has to be decided again', () => {
  test('goes before those that came meanwhile, in a group as large', async () => {
    const { runner, observed, enter, groupsOf } = aQueue()
    runner.endOf = ([, ...rest]) => {
      runner.endOf = () => ({})
      enter('e f')
      return { again: rest }
    }
    expect(await groupsOf('a b c d')).toEqual(['a b c d', 'b c d e f'])
    expect(observed.some(([, hasFailed]) => hasFailed)).toBe(false)
  })

  test('is counted once with its group, when it begins and when it has run', async () => {
    const { runner, observed, starts, enter, groupsOf } = aQueue()
    runner.endOf = again => {
      runner.endOf = () => ({})
      enter('e f')
      return { again }
    }
    expect(await groupsOf('a b c d')).toEqual(['a b c d', 'a b c d e f'])
    expect(observed).toEqual([[6, false]])
    expect(starts.length).toBe(6)
  })

  test('for the third time is tried in halves from then on', async () => {
    const { runner, groupsOf } = aQueue()
    runner.endOf = again => ({ again })
    expect(await groupsOf('a b c d')).toEqual([
      ...['a b c d', 'a b c d', 'a b c d'],
      ...['a b', 'a', 'b', 'c d', 'c', 'd'],
    ])
  })
})
