import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { type Me, meQuery } from '../api/index.ts'
import { remember, takeLast } from '../editing/undo-stack.ts'
import { Drafts } from '../records/drafts.ts'
import { beginSession } from './begin-session.ts'

const none = { length: 0, key: () => null, getItem: () => null, setItem: () => undefined, removeItem: () => undefined }

test.for([
  ['u', true],
  ['v', false],
] as const)('what u has read and changed is there for %s: %s', ([id, isThere]) => {
  const client = new QueryClient()
  beginSession(client, meOf('u'), new Drafts(none))
  client.setQueryData(['rows'], [1])
  const change = { id: 'a', name: 'A', version: 2, before: new Map(), after: new Map() }
  remember({ organization: 'o', kind: 'contacts', ...change })
  beginSession(client, meOf(id), new Drafts(none))
  expect(client.getQueryData(['rows']) !== undefined).toBe(isThere)
  expect(takeLast('o') !== undefined).toBe(isThere)
  expect(client.getQueryData(meQuery.queryKey)?.user.id).toBe(id)
})

function meOf(id: string): Me {
  const user = { id, email: 'nina@example.com', name: 'Nina', locale: 'en', hasSecondFactor: false }
  return { user, organizations: [], freshUntil: null, build: '1' }
}
