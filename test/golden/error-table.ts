import { errorTable } from '../../server/src/kernel/openapi/index.ts'

const [opening, closing] = ['<!-- errors: written by npm run golden -->', '<!-- end of errors -->']

/** The page with the table of error codes as the catalogue has them, in its place between two marks. */
export function withErrors(page: string): string {
  const [start, end] = [page.indexOf(opening), page.indexOf(closing)]
  if (start < 0 || end < start) throw new Error('the page has no place for the table of errors')
  return `${page.slice(0, start + opening.length)}\n${errorTable()}\n${page.slice(end)}`
}
