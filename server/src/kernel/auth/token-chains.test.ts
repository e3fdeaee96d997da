import { describe, expect, it } from 'vitest'
import { bounds } from '../limits/index.ts'
import type { Row, Statement } from '../sql/index.ts'
import { TokenChains } from './token-chains.ts'

const reader = { organizationId: 'o', giveWay: () => Promise.resolve(), whenGone: () => () => {} }

/** Chains on a table with any token that is asked for; counts how often it is read. */
function chainsOn(onRead: () => void = () => {}) {
  let reads = 0
  const query = async ({ text }: Statement, [, id]: readonly unknown[]): Promise<Row[]> => {
    if (!text.includes('api_tokens')) return [{ enabled: true }]
    reads += 1
    onRead()
    return [{ id, application_id: 'a', scopes: [], expires_at: null, revoked_at: null, rotated_from: null }]
  }
  return { chains: new TokenChains({ query }), reads: () => reads }
}

describe('tokens of links and jobs', () => {
  it('are read once until they are forgotten', async () => {
    const { chains, reads } = chainsOn()
    for (let time = 0; time < 3; time += 1) await chains.find('one', reader)
    expect(reads()).toBe(1)
    chains.forget()
    await chains.find('one', reader)
    expect(reads()).toBe(2)
  })

  it('are not remembered when the cache is cleared while they are read', async () => {
    const { chains, reads } = chainsOn(() => chains.forget())
    await chains.find('one', reader)
    await chains.find('one', reader)
    expect(reads()).toBe(2)
  })

  it('are forgotten when there are too many', async () => {
    const { chains, reads } = chainsOn()
    const { most } = bounds.knownTokenChains
    for (let token = 0; token <= most; token += 1) await chains.find(String(token), reader)
    await chains.find(String(most), reader)
    expect(reads()).toBe(most + 1)
    await chains.find('0', reader)
    expect(reads()).toBe(most + 2)
  })
})
