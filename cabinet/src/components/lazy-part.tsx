import { type ComponentType, createElement, lazy, type ReactElement, useState } from 'react'
import { loadCode, sentenceOf } from '../api/index.ts'
import { loadLaterTexts, useWords } from '../words/index.ts'
import { AgainButton } from './again-button.tsx'
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
        const [Loaded] = await loadCode(() => Promise.all([load(), loadLaterTexts()]))
        return { default: ({ props }) => createElement(Loaded, props) }
      } catch (error) {
        return {
          default: ({ props, onAgain }) => <NotLoaded error={error} onAgain={onAgain} onClose={closeOf?.(props)} />,
        }
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
  readonly error: unknown
  readonly onAgain: () => void
  readonly onClose: (() => void) | undefined
}

function NotLoaded({ error, onAgain, onClose }: NotLoadedProps) {
  const words = useWords()
  const { t } = words
  const said = (
    <Banner
      meaning="danger"
      isAlert
      action={
        <span className="row-flex">
          <AgainButton isSmall error={error} onAgain={onAgain} />
          {onClose === undefined ? null : (
            <Button isSmall onPress={onClose}>
              {t('Close')}
            </Button>
          )}
        </span>
      }
    >
      {sentenceOf(error, words)}
    </Banner>
  )
  return onClose === undefined ? said : <div className="toasts">{said}</div>
}
