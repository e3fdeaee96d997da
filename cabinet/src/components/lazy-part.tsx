import { type ComponentType, createElement, lazy, type ReactElement, useState } from 'react'
import { Failure, sentenceOf } from '../api/index.ts'
import { loadLaterTexts, useWords } from '../words/index.ts'
import { Button } from './button.tsx'
import { Banner } from './feedback.tsx'

/**
 * A component that is loaded when it is first shown, with the texts of the files `*.later.words.json`. Where that fails, it says so in its
 * place and offers another attempt. What opens above the page names its way out with `closeOf`: it can be given up then.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  closeOf?: (props: Props) => () => void,
): ComponentType<Props> {
  const begin = () =>
    lazy(async (): Promise<{ default: ComponentType<Attempt<Props>> }> => {
      try {
        const [Loaded] = await Promise.all([load(), loadLaterTexts()])
        return { default: ({ props }) => createElement(Loaded, props) }
      } catch {
        return { default: ({ props, onAgain }) => <NotLoaded onAgain={onAgain} onClose={closeOf?.(props)} /> }
      }
    })
  // React remembers how an attempt has ended.
  let latest = begin()
  return function LazyPart(props: Props): ReactElement {
    const [Shown, setShown] = useState(() => latest)
    const again = () => {
      latest = begin()
      setShown(() => latest)
    }
    return <Shown props={props} onAgain={again} />
  }
}

interface Attempt<Props> {
  readonly props: Props
  readonly onAgain: () => void
}

interface NotLoadedProps {
  readonly onAgain: () => void
  readonly onClose: (() => void) | undefined
}

function NotLoaded({ onAgain, onClose }: NotLoadedProps) {
  const words = useWords()
  const { t } = words
  const said = (
    <Banner
      meaning="danger"
      isAlert
      action={
        <span className="row-flex">
          <Button isSmall onPress={onAgain}>
            {t('Again')}
          </Button>
          {onClose === undefined ? null : (
            <Button isSmall onPress={onClose}>
              {t('Close')}
            </Button>
          )}
        </span>
      }
    >
      {sentenceOf(new Failure('unreachable', 0, 'a part of the pages was not loaded', {}, null), words)}
    </Banner>
  )
  return onClose === undefined ? said : <div className="toasts">{said}</div>
}
