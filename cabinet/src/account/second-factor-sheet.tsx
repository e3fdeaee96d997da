import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SyntheticEvent, useId, useState } from 'react'
import { Form } from 'react-aria-components'
import { meQuery, request } from '../api/index.ts'
import { Banner, Button, CopyCode, FailureBanner, Sheet } from '../components/index.ts'
import { CodeField } from '../entrance/code-field.tsx'
import { useWords } from '../words/index.ts'
import { QrCode } from './qr-code.tsx'

/** What an app needs to make codes. */
export interface NewSecret {
  readonly secret: string
  /** The same as an address that apps read. */
  readonly uri: string
}

interface SecondFactorSheetProps {
  readonly secret: NewSecret
  readonly onClose: () => void
}

/** Sets up the second factor: show the secret, take a code that proves it arrived, hand out recovery codes. */
export function SecondFactorSheet({ secret: { secret, uri }, onClose }: SecondFactorSheetProps) {
  const { t } = useWords()
  const client = useQueryClient()
  const id = useId()
  const [code, setCode] = useState('')
  const confirm = useMutation({
    mutationFn: () =>
      request<{ readonly recoveryCodes: readonly string[] }>('POST', '/account/second-factor/confirm', {
        body: { code },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: meQuery.queryKey }),
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (!confirm.isPending) confirm.mutate()
  }
  if (confirm.data !== undefined) {
    const foot = (
      <Button look="primary" onPress={onClose}>
        {t('I have kept them')}
      </Button>
    )
    return (
      <Sheet isOpen isKept onClose={onClose} title={t('Recovery codes')} foot={foot}>
        <div className="stack">
          <Banner meaning="warning">
            <p>{t('Copy them now: they are not shown again. Each opens your account once, if the app is lost.')}</p>
          </Banner>
          <CopyCode label={t('Recovery codes')} text={confirm.data.recoveryCodes.join('\n')} />
        </div>
      </Sheet>
    )
  }
  const foot = (
    <>
      <Button type="submit" form={id} look="primary" isPending={confirm.isPending}>
        {t('Switch it on')}
      </Button>
      <Button onPress={onClose}>{t('Cancel')}</Button>
    </>
  )
  return (
    <Sheet isOpen isKept onClose={onClose} title={t('Set up the second factor')} foot={foot}>
      <div className="stack">
        <p>{t('Scan this with an app for one-time codes, or enter the secret there.')}</p>
        <QrCode text={uri} label={t('QR code for the app')} />
        <CopyCode label={t('Secret')} text={secret} />
        <Form id={id} className="form" onSubmit={submit}>
          <FailureBanner error={confirm.error} />
          <CodeField isFromAppAlone value={code} onChange={setCode} />
        </Form>
      </div>
    </Sheet>
  )
}
