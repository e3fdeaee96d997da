import { useState } from 'react'
import { Select } from '../../components/index.ts'
import { formatMoment } from '../../format/formats.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { ChangeDialog } from '../change-dialog.tsx'
import { overlaps } from '../overlaps.ts'
import type { NewToken, Token } from './token.ts'

interface RotateDialogProps {
  readonly token: Token
  readonly onRotated: (token: NewToken) => void
  readonly onClose: () => void
}

/** Replaces a token, after it was said until when the old one is good, and who uses it. */
export function RotateDialog({ token, onRotated, onClose }: RotateDialogProps) {
  const { t, language } = useWorkspace().showing.words
  const [overlap, setOverlap] = useState('86400')
  const { id, name, lastUsedAt, lastUsedIp } = token
  return (
    <ChangeDialog
      title={t('Rotate {name}', { name })}
      action={t('Rotate')}
      isDangerous={false}
      change={{ method: 'POST', path: `settings/tokens/${id}/rotate`, body: { overlapSeconds: Number(overlap) } }}
      onDone={onRotated}
      onClose={onClose}
    >
      <p>{t('A new token takes its place, with the same scopes, networks and end.')}</p>
      <Select
        label={t('The former one is good')}
        choices={overlaps.map(each => ({ id: each.id, name: t(each.name) }))}
        value={overlap}
        onChange={chosen => setOverlap(String(chosen))}
      />
      <p className="second">
        {lastUsedAt === null
          ? t('The former one was never used.')
          : t('It was last used {time} from {address}.', {
              time: formatMoment(lastUsedAt, language),
              address: lastUsedIp ?? '–',
            })}
      </p>
    </ChangeDialog>
  )
}
