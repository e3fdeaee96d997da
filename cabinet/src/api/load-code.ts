import { findNewBuild } from './build.ts'
import { Failure } from './failure.ts'

/**
 * Loads a part of the pages. Throws a `Failure` where that fails: with the code `new_build` if the server has other pages by now, else
 * `unreachable`.
 */
export async function loadCode<Code>(load: () => Promise<Code>): Promise<Code> {
  await loadStylesAgain()
  try {
    return await load()
  } catch {
    const code = (await findNewBuild()) ? 'new_build' : 'unreachable'
    throw new Failure(code, 0, 'A part of the pages was not loaded', {}, null)
  }
}

/** Loads the style sheets that could not be loaded before: the loader of modules asks for each only once. */
async function loadStylesAgain(): Promise<void> {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')]
  await Promise.all(links.filter(({ sheet }) => sheet === null).map(loadAgain))
}

function loadAgain(link: HTMLLinkElement): Promise<void> {
  return new Promise(resolve => {
    const again = document.createElement('link')
    again.rel = 'stylesheet'
    again.href = link.href
    for (const event of ['load', 'error']) again.addEventListener(event, () => resolve())
    link.replaceWith(again)
  })
}
