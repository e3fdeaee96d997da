import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, DialogTrigger, Popover } from 'react-aria-components'
import { useWords } from '../words/index.ts'

/** A value that the role may not see. Pressing it says why, and who can change that. */
export function HiddenValue({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const { t } = useWords()
  return (
    <span className="lock">
      <Lock className="icon icon-small" />
      <DialogTrigger>
        <Button className="lock-btn">{t('Hidden')}</Button>
        <Popover className="popover" placement="bottom" aria-label={title}>
          <p className="row-flex strong">
            <Lock className="icon" />
            {title}
          </p>
          <p className="second">{children}</p>
        </Popover>
      </DialogTrigger>
    </span>
  )
}
