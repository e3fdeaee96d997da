import { expect, onTestFinished, test } from 'vitest'
import { aCuttingProxy, cutOneIn } from '../sdk/support/cutting-proxy.ts'
import type { Program } from '../support/process.ts'
import { Random, roundsOf, seedOf } from '../support/random.ts'
import { useCrm } from './support/given.ts'
import { aFolder, aPeopleFile, peopleMap } from './support/people-file.ts'

const random = new Random(seedOf('CLI_SEED'))
const kills = roundsOf('CLI_KILLS', 2)
const rows = roundsOf('CLI_ROWS', 5_000)
const patience = 3_600_000

const given = useCrm()

test(
  'a file whose program is killed again and again has each record once',
  async () => {
    const file = await aPeopleFile(aFolder(), rows)
    let [begun, killAfter] = [0, 0]
    let program: Program | undefined
    const proxy = await aCuttingProxy(given.api.url, () => {
      begun += 1
      if (begun !== killAfter) return cutOneIn(10)(begun + 8)
      program?.send('SIGKILL')
      return random.pick(['before', 'answer'])
    })
    const start = (exchanges: number) => {
      ;[begun, killAfter] = [0, exchanges]
      const words = ['contacts', 'upsert', '--file', file, ...peopleMap, '--run', 'erp']
      // Far less than all rows would take.
      const bounded = { NODE_OPTIONS: '--max-old-space-size=64' }
      program = given.start(words, { ...given.environment, ...bounded, CRM_URL: proxy.url })
      return program.ended
    }
    onTestFinished(async () => void (await program?.end('SIGKILL')))
    for (let kill = 1; kill <= kills; kill++)
      expect((await start(random.between(1, Math.ceil(rows / 100)))).signal).toBe('SIGKILL')
    const { status, out } = await start(0)
    const { written, replayed, ...others } = JSON.parse(out)
    expect([status, written + replayed, others]).toEqual([0, rows, { run: 'erp', rows, refused: 0 }])
    expect(proxy.cuts()).toBeGreaterThan(kills)

    const versions = new Map<unknown, unknown>()
    for (let path: string | null = '/contacts?limit=100'; path !== null; ) {
      const { items, meta } = await given.organization.client.get(path)
      for (const { externalId, version } of items) versions.set(externalId, version)
      path = meta.nextCursor === null ? null : `/contacts?limit=100&cursor=${String(meta.nextCursor)}`
    }
    expect(versions.size).toBe(rows)
    expect(new Set(versions.values())).toEqual(new Set([1]))
  },
  patience,
)
