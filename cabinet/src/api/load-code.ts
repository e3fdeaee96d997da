import { findNewBuild } from './build.ts'
import { Failure } from './failure.ts'

/** The style sheets that could not be loaded. The loader of modules asks for each only once. */
const broken = new Set<HTMLLinkElement>()

/**
 * Loads a part of the pages, with the style sheets that failed before. Throws a `Failure` where that fails: with the code `new_build` if the
 * server has other pages by now, else `unreachable`.
 */
export async function loadCode<Code>(load: () => Promise<Code>): Promise<Code> {
  await Promise.all([...broken].map(loadAgain))
  document.addEventListener('error', noteBroken, { capture: true })
  try {
    return await load()
  } catch {
    const code = (await findNewBuild()) ? 'new_build' : 'unreachable'
    throw new Failure(code, 0, 'A part of the pages was not loaded', {}, null)
  } finally {
    document.removeEventListener('error', noteBroken, { capture: true })
  }
}

function noteBroken({ target }: Event): void {
  if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') broken.add(target)
}

function loadAgain(link: HTMLLinkElement): Promise<void> {
  return new Promise(resolve => {
    const again = document.createElement('link')
    again.rel = 'stylesheet'
    again.href = link.href
    broken.delete(link)
    again.addEventListener('load', () => resolve())
    again.addEventListener('error', () => {
      broken.add(again)
      resolve()
    })
    link.replaceWith(again)
  })
}
