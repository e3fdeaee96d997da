import { expect, test } from 'vitest'
import { Drafts, type RecordDraft } from './drafts.ts'

const owner = { user: 'u', organization: 'o' }
const draft: RecordDraft = {
  kind: 'contacts',
  id: 'a',
  part: '',
  name: 'Nina Kowalska',
  version: 3,
  saw: new Map([['jobTitle', 'Buyer']]),
  mine: new Map([['jobTitle', 'Director']]),
  page: '/cabinet/o/o/contacts',
  submission: { key: 'k', body: '{}', mine: new Map([['jobTitle', 'Direct']]) },
}

test('a draft survives a reload with the submission that was not answered', () => {
  const store = storeInMemory()
  new Drafts(store).keep(owner, draft)
  expect(new Drafts(store).find(owner, draft)).toEqual(draft)
  new Drafts(store).forget(owner, draft)
  expect(new Drafts(store).find(owner, draft)).toBeUndefined()
})

test('a draft that cannot be read or kept is none', () => {
  const store = storeInMemory()
  new Drafts(store).keep(owner, draft)
  for (const text of [
    '',
    '{',
    '[]',
    '{"kind":"contacts","part":"","version":"3","saw":[],"mine":[]}',
    '{"version":3}',
  ]) {
    store.setItem('crm-draft/u/o/contacts/a/', text)
    expect(new Drafts(store).find(owner, draft)).toBeUndefined()
  }
  const full = {
    ...store,
    setItem: () => {
      throw new Error('full')
    },
  }
  expect(() => new Drafts(full).keep(owner, draft)).not.toThrow()
})

test('a new record that begins with other values has a draft of its own', () => {
  const drafts = new Drafts(storeInMemory())
  const forContact = { ...draft, kind: 'deals', id: null, part: '[["contactIds",["a"]]]' } as const
  drafts.keep(owner, { ...forContact, part: '' })
  expect(drafts.find(owner, forContact)).toBeUndefined()
})

test('a page finds the drafts that were open on it, and not those that were left', () => {
  const drafts = new Drafts(storeInMemory())
  drafts.keep(owner, draft)
  drafts.keep(owner, { ...draft, id: 'b', page: null })
  drafts.keep(owner, { ...draft, id: 'c', page: '/cabinet/o/o/deals' })
  drafts.keep({ ...owner, organization: 'other' }, { ...draft, id: 'd' })
  expect(drafts.openOn(owner, '/cabinet/o/o/contacts').map(({ id }) => id)).toEqual(['a'])
})

test('what another user has typed in the tab is forgotten, and nothing else', () => {
  const store = storeInMemory()
  const drafts = new Drafts(store)
  const other = { user: 'v', organization: 'o' }
  drafts.keep(owner, draft)
  drafts.keep(other, draft)
  store.setItem('theme', 'dark')
  drafts.forgetOthers('u')
  expect(drafts.find(owner, draft)).toEqual(draft)
  expect(drafts.find(other, draft)).toBeUndefined()
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
