import { expect, it } from 'vitest'
import { operations } from '../../server/src/modules.ts'
import { requestBuilders } from './support/requests.ts'
import { readRoutes } from './support/routes.ts'

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
const specified = (await readRoutes('routes.json')).map(nameOf)
const beyond = (await readRoutes('routes-beyond-v1.json')).map(nameOf)
const registered = new Set(operations.map(nameOf))

it('serves each of the 120 routes that the specification gives', () => {
  expect(new Set(specified).size).toBe(120)
  expect(specified.filter(route => !registered.has(route))).toEqual([])
})

it('serves beyond them only the routes that are listed as such', () => {
  expect([...registered].filter(route => !specified.includes(route)).sort()).toEqual(beyond.toSorted())
})

it('has a valid request for every registered operation, and none for another', () => {
  expect(Object.keys(requestBuilders).sort()).toEqual(operations.map(({ id }) => id).sort())
})

it('gives every operation an id of its own', () => {
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
})
