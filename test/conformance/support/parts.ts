import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'

/** What belongs to a deal. */
export type Part = 'activities' | 'items'

export const parts: readonly Part[] = ['activities', 'items']

/** The body of a valid request that adds one. */
export const aPart: Readonly<Record<Part, JsonObject>> = {
  activities: { type: 'call', subject: 'Asked about delivery' },
  items: { name: 'Chair', quantity: '3', price: '0.335' },
}

/** A change that its PATCH accepts. */
export const aChangeOf: Readonly<Record<Part, JsonObject>> = {
  activities: { outcome: 'They want them by May' },
  items: { quantity: '4' },
}
