import { useEffect, useRef } from 'react'
import { Banner, Button, CopyCode } from '../../components/index.ts'
import { formatMoment } from '../../format/formats.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import type { OpenInvitation } from './member.ts'

interface InvitationLinkProps {
  readonly invitation: OpenInvitation
  readonly onHide: () => void
}

/** The link of a new invitation, to be handed over. It is never shown again. */
export function InvitationLink({ invitation: { link, expiresAt, mailed }, onHide }: InvitationLinkProps) {
  const { t, language } = useWorkspace().showing.words
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section className="stack stack-3" aria-labelledby="invitation">
      <Banner meaning="success">
        <h2 id="invitation" ref={heading} tabIndex={-1}>
          {t('The invitation is made. Copy its link now: it is not shown again.')}
        </h2>
        <p className="second">
          {mailed
            ? t('A link of its own goes to the address by mail as well.')
            : t('This server sends no mail: hand the link over yourself.')}{' '}
          {t('It is good until {time}.', { time: formatMoment(expiresAt, language) })}
        </p>
      </Banner>
      <CopyCode label={t('Link')} text={`${location.origin}${link}`} />
      <div>
        <Button onPress={onHide}>{t('I have it, hide it')}</Button>
      </div>
    </section>
  )
}
