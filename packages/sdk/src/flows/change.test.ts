import { expect, test } from 'vitest'
import { type Answer, answerOf } from '../core/answer.ts'
import type { ReadOptions } from '../core/options.ts'
import { Crm } from '../crm.ts'
import { change } from './change.ts'

function answered<T>(data: T): Answer<T> {
  return answerOf(Promise.resolve({ data, meta: {}, response: new Response(), requestId: '' }))
}

test('a change passes its options to each of its calls', async () => {
  const options = { signal: new AbortController().signal, timeout: 7, headers: { traceparent: 'a' } }
  const given: unknown[] = []
  const methods = {
    get(_id: string, own?: ReadOptions) {
      given.push(own)
      return answered({ version: 3 })
    },
    update(_id: string, body: object, own?: ReadOptions) {
      given.push(own)
      return answered(body)
    },
  }
  expect(await change(methods, 'a', () => ({ name: 'b' }), options)).toEqual({ name: 'b', expectedVersion: 3 })
  expect(given).toEqual([options, options])
})

test.each(['contacts', 'companies', 'deals', 'tasks'] as const)(
  'a change of %s sends its headers twice',
  async kind => {
    const sent: unknown[] = []
    const recording: typeof fetch = async (_, init) => {
      sent.push([init?.method, new Headers(init?.headers).get('traceparent')])
      return Response.json({ data: { id: 'a', version: 1 }, meta: {} })
    }
    const crm = new Crm({ url: 'http://localhost', token: 'a', fetch: recording })
    await crm[kind].change('a', () => ({}), { headers: { traceparent: 'b' } })
    expect(sent).toEqual([
      ['GET', 'b'],
      ['PATCH', 'b'],
    ])
  },
)
