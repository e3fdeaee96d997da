import { expect, test } from 'vitest'
import { Drafts, draftName } from './drafts.ts'

const name = draftName('u', 'o', 'contacts', 'a')

test('a draft survives a reload with the key of its submission', () => {
  const store = storeInMemory()
  const draft = {
    version: 3,
    saw: new Map([['jobTitle', 'Buyer']]),
    mine: new Map([['jobTitle', 'Director']]),
    submission: { key: 'k', body: '{}' },
  }
  new Drafts(store).keep(name, draft)
  expect(new Drafts(store).find(name)).toEqual(draft)
  new Drafts(store).forget(name)
  expect(new Drafts(store).find(name)).toBeUndefined()
})

test('a draft that cannot be read or kept is none', () => {
  const store = storeInMemory()
  for (const text of ['', '{', '[]', '{"version":"3","saw":[],"mine":[]}', '{"version":3}']) {
    store.setItem(`crm-draft/${name}`, text)
    expect(new Drafts(store).find(name)).toBeUndefined()
  }
  const full = {
    ...store,
    setItem: () => {
      throw new Error('full')
    },
  }
  expect(() => new Drafts(full).keep(name, { version: null, saw: new Map(), mine: new Map() })).not.toThrow()
})

test('what another user has typed in the tab is forgotten, and nothing else', () => {
  const store = storeInMemory()
  const drafts = new Drafts(store)
  const draft = { version: null, saw: new Map(), mine: new Map([['lastName', 'Kowalska']]) }
  const others = draftName('v', 'o', 'contacts', 'a')
  drafts.keep(name, draft)
  drafts.keep(others, draft)
  store.setItem('theme', 'dark')
  drafts.forgetOthers('u')
  expect(drafts.find(name)).toEqual(draft)
  expect(drafts.find(others)).toBeUndefined()
  expect(store.getItem('theme')).toBe('dark')
})

function storeInMemory() {
  const texts = new Map<string, string>()
  return {
    get length() {
      return texts.size
    },
    key: (index: number) => [...texts.keys()][index] ?? null,
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => void texts.set(key, text),
    removeItem: (key: string) => void texts.delete(key),
  }
}
