import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { request } from '../api/index.ts'
import { useLive } from '../live/index.ts'
import { type Board, cardStep, cardsToAsk, withStages } from './board.rules.ts'

/** The shortest time between two reads of the board, in milliseconds, and how much longer it is than the last read took. */
const [shortestPause, restAfter] = [500, 9]

/**
 * The board of a pipeline, under the query that the server gets. It is read again when a deal has changed, but at most for a tenth of the
 * time, and not while a card is held: it would slip out of the hand.
 */
export function useBoard(organization: string, query: string) {
  const client = useQueryClient()
  const queryKey = ['board', organization, query]
  const tookMilliseconds = useRef(0)
  const board = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const begun = performance.now()
      const shown = client.getQueryData<Board>(queryKey)
      const longer = shown?.stages.filter(({ cards }) => cards.length > cardStep) ?? []
      const [whole, ...others] = await Promise.all([
        readBoard(organization, query, signal),
        ...longer.map(({ stageUuid, cards }) =>
          readBoard(organization, stageQuery(query, stageUuid, cardsToAsk(cards.length - cardStep)), signal),
        ),
      ])
      tookMilliseconds.current = performance.now() - begun
      return withStages(
        whole,
        others.flatMap(({ stages }) => stages),
      )
    },
    placeholderData: (previous, before) => (before?.queryKey[1] === organization ? previous : undefined),
    refetchOnWindowFocus: false,
  })
  const refresh = () => client.invalidateQueries({ queryKey: ['board', organization] })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const held = useRef<{ isOld: boolean } | null>(null)
  const soon = () => {
    if (held.current !== null) {
      held.current.isOld = true
      return
    }
    timer.current ??= setTimeout(
      () => {
        timer.current = undefined
        void refresh()
      },
      Math.max(shortestPause, restAfter * tookMilliseconds.current),
    )
  }
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
  useLive(organization, message => {
    if (message.type === 'reset' || (message.type === 'change' && message.change.resourceType === 'deal')) soon()
  })
  return {
    board,
    refresh,
    /** Says that a card is taken into the hand, or let go. */
    hold: (isHeld: boolean) => {
      const wasOld = held.current?.isOld === true
      held.current = isHeld ? { isOld: false } : null
      if (wasOld) soon()
    },
    /** Reads more cards of a stage. */
    more: async (stageUuid: string, shown: number) => {
      const { stages } = await readBoard(organization, stageQuery(query, stageUuid, cardsToAsk(shown)))
      client.setQueryData<Board>(queryKey, before => before && withStages(before, stages))
    },
  }
}

function readBoard(organization: string, query: string, signal?: AbortSignal): Promise<Board> {
  return request<Board>('GET', `/o/${organization}/boards/deals${query === '' ? '' : `?${query}`}`, { signal })
}

function stageQuery(query: string, stageUuid: string, cards: number): string {
  const asked = new URLSearchParams(query)
  asked.set('stageUuid', stageUuid)
  asked.set('cards', String(cards))
  return asked.toString()
}
