export { organizationOffers, organizationRoutes } from './cabinet-entry.ts'
export { cabinetRoutes, cabinetRoutesOf } from './cabinet-routes.ts'
export { protectPages } from './page-headers.ts'
export { addCabinetPages } from './pages.ts'
