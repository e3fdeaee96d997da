import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { formatNumber } from '../format/formats.ts'
import type { Kind } from '../records/kinds.ts'
import { type Count, countRecords } from '../records/record-requests.ts'
import type { Words } from '../words/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { queryOf, type Selection } from './filters.rules.ts'

/** How many records the list has. It comes after the rows, and says where the server stopped counting; pressing it counts all. */
export function ListCount({ kind, selection }: { readonly kind: Kind; readonly selection: Selection }) {
  const { organization, showing } = useWorkspace()
  const query = queryOf({ ...selection, sort: '' }).toString()
  const [exactFor, setExactFor] = useState<string>()
  const isExact = exactFor === query
  const { data } = useQuery({
    queryKey: ['count', organization.id, kind, query, isExact],
    queryFn: ({ signal }) => countRecords(organization.id, kind, selection, { isExact, signal }),
    staleTime: 30_000,
  })
  if (data === undefined) return null
  const text = countText(data, showing.words)
  if (data.isExact) return <span className="muted">{text}</span>
  return (
    <Button className="count-more muted" onPress={() => setExactFor(query)}>
      {text}
    </Button>
  )
}

/** A count as it is: `4,312`, `10,000+` or `at least 3,200`. */
function countText({ count, isExact, capped }: Count, { t, language }: Words): string {
  const number = formatNumber(count, language)
  if (isExact || capped === null) return number
  return capped === 'rows' ? `${number}+` : t('at least {count}', { count: number })
}
