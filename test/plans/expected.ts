import { expect } from 'vitest'
import type { Answer } from '../support/client.ts'

export async function created(call: Promise<Answer>): Promise<Answer> {
  const answer = await call
  expect([answer.status, answer.error]).toEqual([201, {}])
  return answer
}

export async function done(call: Promise<Answer>): Promise<Answer> {
  const answer = await call
  expect([answer.status, answer.error]).toEqual([200, {}])
  return answer
}
