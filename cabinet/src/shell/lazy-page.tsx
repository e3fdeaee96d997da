import { type ComponentType, createElement, type ReactElement, useReducer } from 'react'
import { loadCode } from '../api/index.ts'
import { FailedPage } from './failed-page.tsx'

/**
 * The component of a route whose code is loaded when somebody goes there; the page before stays until then. Where that fails, a page that says
 * so and offers another attempt stands in its place, inside of the frame.
 */
export function lazyPage(load: () => Promise<ComponentType>) {
  let page: ComponentType | undefined
  let failure: unknown
  const preload = async (): Promise<void> => {
    try {
      page ??= await loadCode(load)
    } catch (error) {
      failure = error
    }
  }
  function LazyPage(): ReactElement {
    const [, drawAgain] = useReducer((times: number) => times + 1, 0)
    if (page !== undefined) return createElement(page)
    return <FailedPage error={failure} onAgain={() => void preload().then(drawAgain)} />
  }
  // The router calls it before it shows the page.
  return Object.assign(LazyPage, { preload })
}
