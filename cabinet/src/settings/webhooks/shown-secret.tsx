import { useEffect, useRef } from 'react'
import { Banner, Button, CopyCode } from '../../components/index.ts'
import { useWorkspace } from '../../workspace/workspace.ts'

/** The secret with which deliveries are signed. It is never shown again. */
export function ShownSecret({ secret, onHide }: { readonly secret: string; readonly onHide: () => void }) {
  const { t } = useWorkspace().showing.words
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section className="stack stack-3" aria-labelledby="secret">
      <Banner meaning="success">
        <h2 id="secret" ref={heading} tabIndex={-1}>
          {t('Deliveries are signed with this secret. Copy it now: it is not shown again.')}
        </h2>
      </Banner>
      <CopyCode label={t('Secret')} text={secret} />
      <div>
        <Button onPress={onHide}>{t('I have it, hide it')}</Button>
      </div>
    </section>
  )
}
