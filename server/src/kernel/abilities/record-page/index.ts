export { recordPage } from './record-page.ts'
