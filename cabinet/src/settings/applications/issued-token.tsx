import { useEffect, useRef } from 'react'
import { Banner, Button, CopyCode } from '../../components/index.ts'
import { formatMoment } from '../../format/formats.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { curlLine, type NewToken, type Token } from './token.ts'

interface IssuedTokenProps {
  readonly token: NewToken
  /** The same token as the list has it, which knows of its use. */
  readonly shown: Token | undefined
  readonly onHide: () => void
}

/** The text of a new token, beside a line that proves that it works. It is never shown again. */
export function IssuedTokenPanel({ token, shown, onHide }: IssuedTokenProps) {
  const { t, language } = useWorkspace().showing.words
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const { name, scopes, replaces, expiresAt } = token
  const used = shown?.lastUsedAt ?? null
  return (
    <section className="stack stack-3" aria-labelledby="issued">
      <Banner meaning="success">
        <h2 id="issued" ref={heading} tabIndex={-1}>
          {t('The token {name} is made. Copy it now: it is not shown again.', { name })}
        </h2>
        <p className="second">
          {t('{count, plural, one {# scope} other {# scopes}}', { count: scopes.length })}
          {', '}
          {expiresAt === null ? t('does not expire') : t('expires {time}', { time: formatMoment(expiresAt, language) })}
        </p>
        {replaces === undefined ? null : (
          <p className="second">
            {t('The former one is good until {time}.', { time: formatMoment(replaces.validUntil, language) })}
          </p>
        )}
      </Banner>
      <div className="field">
        <span className="label">{t('Token')}</span>
        <CopyCode label={t('Token')} text={token.token} />
      </div>
      <div className="field">
        <span className="label">{t('Try it')}</span>
        <CopyCode label={t('Command')} text={curlLine(location.origin, token)} />
      </div>
      <div className="row-flex">
        <Button onPress={onHide}>{t('I have it, hide it')}</Button>
        <span className="muted" role="status">
          {used === null
            ? t('Waiting for its first request')
            : t('First request seen: {time}', { time: formatMoment(used, language) })}
        </span>
      </div>
    </section>
  )
}
