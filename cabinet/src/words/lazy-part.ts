import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { loadLaterTexts } from './language.ts'

/** A component that is loaded when it is first shown, with the texts of the files `*.later.words.json`. */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    const [component] = await Promise.all([load(), loadLaterTexts()])
    return { default: component }
  })
}
