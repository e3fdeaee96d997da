import type { Services } from '../../../kernel/index.ts'
import { Passwords } from '../../../people/index.ts'
import type { HttpRoute } from '../http-route.ts'
import { accountRoutes } from './account-routes.ts'
import type { CabinetRoute } from './cabinet-route.ts'
import { linkRoutes } from './link-routes.ts'
import { serveCabinetRoute } from './serve-cabinet-route.ts'
import { sessionRoutes } from './session-routes.ts'

/** Every route of the cabinet that is about who signs in, as data. */
export const cabinetRoutes: readonly CabinetRoute[] = [...sessionRoutes, ...linkRoutes, ...accountRoutes]

/** The same, served by a process. */
export function cabinetRoutesOf(services: Services, passwords = new Passwords()): HttpRoute[] {
  const signInServices = { ...services, passwords }
  return cabinetRoutes.map(route => serveCabinetRoute(route, signInServices))
}
