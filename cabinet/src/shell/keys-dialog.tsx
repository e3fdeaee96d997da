import { useState } from 'react'
import { Dialog, Switch } from '../components/index.ts'
import { currentKeys } from '../keys/index.ts'
import { switchSingleKeys, useSingleKeys } from '../preferences/index.ts'
import { useWords } from '../words/index.ts'

/** The keys of the page, and the switch of single letters. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useWords()
  const [keys] = useState(currentKeys)
  const areOn = useSingleKeys()
  return (
    <Dialog isOpen onClose={onClose} title={t('Keys')}>
      <div className="stack">
        <dl className="keys">
          {keys.map(({ keys, text }) => (
            <div key={keys}>
              <dt>{text}</dt>
              <dd>
                {keys.split(' ').map(each => (
                  <kbd key={each} className="kbd">
                    {each}
                  </kbd>
                ))}
              </dd>
            </div>
          ))}
        </dl>
        <Switch isSelected={areOn} onChange={switchSingleKeys}>
          {t('Keys without Ctrl')}
        </Switch>
      </div>
    </Dialog>
  )
}
