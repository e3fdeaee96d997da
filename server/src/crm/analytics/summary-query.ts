import { dateParameter, uuidParameter } from '../../kernel/index.ts'
import type { Filters } from './filters.sql.ts'
import { mostDays, usualDays } from './period.ts'

const filterParameters = {
  pipelineId: uuidParameter(
    'The pipeline that deals are in at the end of the period, whose stages the funnel shows, and that other records have deals in',
  ),
  ownerId: uuidParameter('The operator who owns the records, or is to do the tasks'),
  contactId: uuidParameter('The contact itself, and what is linked to it'),
  companyId: uuidParameter('The company itself, and what is linked to it'),
  tagId: uuidParameter('The tag that the records have'),
}

/** The query of `GET /analytics/summary`. */
export const summaryQuery = {
  startDate: dateParameter(
    `The first day of the period, which has ${usualDays} days unless this is given, and at most ${mostDays}`,
  ),
  endDate: dateParameter('The last day of the period, today unless given'),
  ...filterParameters,
}

/** The filters of a query that was parsed. */
export function filtersOf(query: Readonly<Record<string, unknown>>): Filters {
  const given = Object.keys(filterParameters).flatMap(name => {
    const id = query[name]
    return typeof id === 'string' ? [[name, id] as const] : []
  })
  return Object.fromEntries(given)
}
