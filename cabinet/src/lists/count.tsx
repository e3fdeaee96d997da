import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { formatNumber } from '../format/formats.ts'
import type { Kind } from '../records/kinds.ts'
import { type Count, countRecords } from '../records/record-requests.ts'
import type { Words } from '../words/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { queryOf, type Selection } from './filters.rules.ts'

/**
 * How many records the list has. It comes after the rows, and says where the server stopped counting; pressing it counts all, and pressing
 * it once more meanwhile ends that.
 */
export function ListCount({ kind, selection }: { readonly kind: Kind; readonly selection: Selection }) {
  const { organization, showing } = useWorkspace()
  const query = queryOf({ ...selection, sort: '' }).toString()
  const client = useQueryClient()
  const [exactFor, setExactFor] = useState<string>()
  const counted = (isExact: boolean) => ({
    queryKey: ['count', organization.id, kind, query, isExact],
    queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
      countRecords(organization.id, kind, selection, { isExact, signal }),
    staleTime: 30_000,
  })
  const { data } = useQuery(counted(false))
  const exact = useQuery({ ...counted(true), enabled: exactFor === query })
  const isCounting = exact.isFetching && exact.data === undefined
  const shown = (exactFor === query ? exact.data : undefined) ?? data
  if (shown === undefined) return null
  const text = countText(shown, showing.words)
  if (shown.isExact) return <span className="muted">{text}</span>
  const countAll = () => (exactFor === query ? void exact.refetch() : setExactFor(query))
  const stop = () => {
    setExactFor(undefined)
    void client.cancelQueries({ queryKey: counted(true).queryKey })
  }
  return (
    <Button className="count-more muted" onPress={isCounting ? stop : countAll}>
      {isCounting ? showing.words.t('{count}, stop counting', { count: text }) : text}
    </Button>
  )
}

/** A count as it is: `4,312`, `10,000+` or `at least 3,200`. */
function countText({ count, isExact, capped }: Count, { t, language }: Words): string {
  const number = formatNumber(count, language)
  if (isExact || capped === null) return number
  return capped === 'rows' ? `${number}+` : t('at least {count}', { count: number })
}
