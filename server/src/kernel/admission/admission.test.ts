import { expect, test } from 'vitest'
import { Refusal } from '../errors/index.ts'
import { bounds } from '../limits/index.ts'
import { Admission, type AdmittedRequest } from './admission.ts'

const neverGone = () => () => {}

function enter(admission: Admission, organization: string): AdmittedRequest {
  const admitted = admission.enter(organization, neverGone)
  if (admitted instanceof Refusal) throw new Error(admitted.message)
  return admitted
}

const refusedBy = (bound: string) => ({ status: 503, code: 'service_unavailable', details: { bound } })

test('one organization has a bounded number of requests under way, and another one can still begin some', () => {
  const admission = new Admission()
  const visits = Array.from({ length: bounds.organizationRequests.most }, () => enter(admission, 'a'))
  expect(admission.enter('a', neverGone)).toMatchObject(refusedBy('organizationRequests'))
  enter(admission, 'b').end()
  visits[0]?.end()
  enter(admission, 'a')
  expect(admission.refused.get('organizationRequests')).toBe(1)
})

test('all organizations together have a bounded number of requests under way', () => {
  const admission = new Admission()
  for (let count = 0; count < bounds.processRequests.most; count += 1) enter(admission, `organization ${count % 8}`)
  expect(admission.enter('another', neverGone)).toMatchObject(refusedBy('processRequests'))
})

test('an organization keeps bodies up to its bound, and each returns its room once', () => {
  const admission = new Admission()
  const [one, other] = [enter(admission, 'a'), enter(admission, 'a')]
  const most = bounds.organizationBodyBytes.most
  expect(one.takeBody(most)).toBeNull()
  expect(other.takeBody(1)).toMatchObject(refusedBy('organizationBodyBytes'))
  expect(enter(admission, 'b').takeBody(1)).toBeNull()
  one.end()
  one.end()
  expect(other.takeBody(most)).toBeNull()
  expect(other.takeBody(1)).toMatchObject(refusedBy('organizationBodyBytes'))
})

test('unread answers keep their organization from sending more requests, and no other one', () => {
  const admission = new Admission()
  const admitted = enter(admission, 'a')
  admitted.takeAnswer(bounds.organizationAnswerBytes.most + 1)
  expect(admission.enter('a', neverGone)).toMatchObject(refusedBy('organizationAnswerBytes'))
  enter(admission, 'b')
  admitted.end()
  enter(admission, 'a')
})

test('large things of one organization are handled one at a time, and those of two beside each other', async () => {
  const admission = new Admission()
  const [first, second, other] = [enter(admission, 'a'), enter(admission, 'a'), enter(admission, 'b')]
  await first.giveWay()
  await other.giveWay()
  const order: string[] = []
  const waiting = second.giveWay().then(() => order.push('second'))
  await first.giveWay()
  order.push('first goes on')
  first.leaveLarge()
  await waiting
  expect(order).toEqual(['first goes on', 'second'])
  expect([first.isLarge, second.isLarge]).toEqual([false, true])
})

test('a large answer does not begin while the organization has too many unread ones', async () => {
  const admission = new Admission()
  const [late, unread] = [enter(admission, 'a'), enter(admission, 'a')]
  unread.takeAnswer(bounds.organizationAnswerBytes.most + 1)
  await expect(late.giveWay()).rejects.toMatchObject({ bound: 'organizationAnswerBytes' })
})

test('a request that has ended keeps no room', async () => {
  const admission = new Admission()
  const admitted = enter(admission, 'a')
  admitted.end()
  admitted.takeBody(10)
  admitted.takeAnswer(10)
  await admitted.giveWay()
  expect(admission.usage()).toEqual({
    processRequests: 0,
    processWaits: 0,
    processStreams: 0,
    processBodyBytes: 0,
    processSpoolBytes: 0,
    processAnswerBytes: 0,
    processLarge: 0,
  })
})

test('a live stream gives its place among the requests back, and has one among the streams until it ends', () => {
  const admission = new Admission()
  const streams = Array.from({ length: bounds.userStreams.most }, () => enter(admission, 'a'))
  expect(streams.map(each => each.beginStream('user'))).toEqual(streams.map(() => null))
  expect(admission.usage()).toMatchObject({ processRequests: 0, processStreams: bounds.userStreams.most })
  expect(enter(admission, 'a').beginStream('user')).toMatchObject({ details: { bound: 'userStreams' } })
  expect(enter(admission, 'a').beginStream('other')).toBe(null)
  streams[0]?.end()
  streams[0]?.end()
  expect(enter(admission, 'a').beginStream('user')).toBe(null)
  expect(admission.usage()).toMatchObject({ processRequests: 1, processStreams: bounds.userStreams.most + 1 })
})

test('an organization has a bounded number of live streams, whichever user opens them', () => {
  const admission = new Admission()
  for (let n = 0; n < bounds.organizationStreams.most; n += 1)
    expect(enter(admission, 'a').beginStream(`user ${n}`)).toBe(null)
  expect(enter(admission, 'a').beginStream('one more')).toMatchObject({ details: { bound: 'organizationStreams' } })
  expect(enter(admission, 'b').beginStream('of another organization')).toBe(null)
})
