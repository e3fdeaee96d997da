import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { Button as PlainButton } from 'react-aria-components'
import { Badge, IconButton, MenuButton, MenuItem } from '../../components/index.ts'
import { formatAgo, formatMoment } from '../../format/formats.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { ChangeDialog } from '../change-dialog.tsx'
import { SettingsTable } from '../settings-table.tsx'
import { RotateDialog } from './rotate-dialog.tsx'
import { isValidToken, type NewToken, type Token } from './token.ts'
import { TokenForm } from './token-form.tsx'

interface TokenTableProps {
  readonly tokens: readonly Token[]
  /** Called with the successor of a token. */
  readonly onRotated: (token: NewToken) => void
}

/** The tokens of an application, with when and from where each was last used. */
export function TokenTable({ tokens, onRotated }: TokenTableProps) {
  const { showing } = useWorkspace()
  const { t, language } = showing.words
  const [open, setOpen] = useState<{ readonly what: string; readonly token: Token } | null>(null)
  const close = () => setOpen(null)
  const successors = new Map(tokens.map(({ rotatedFrom, name }) => [rotatedFrom, name]))
  const act = (what: string, token: Token) => setOpen({ what, token })
  return (
    <>
      <SettingsTable
        label={t('Tokens')}
        items={tokens}
        empty={t('No tokens yet.')}
        columns={[
          {
            title: t('Name'),
            cell: token => (
              <PlainButton id={`token-${token.id}`} className="text-btn" onPress={() => act('edit', token)}>
                {token.name}
              </PlainButton>
            ),
          },
          { title: t('Scopes'), width: 'c-xs', isNumber: true, cell: ({ scopes }) => scopes.length },
          {
            title: t('Networks'),
            width: 'c-m',
            isWide: true,
            cell: ({ cidrs }) => <span className="second">{cidrs.length === 0 ? t('Any') : cidrs.join(', ')}</span>,
          },
          {
            title: t('Expires'),
            width: 'c-l',
            cell: token => <TokenState token={token} isReplaced={successors.has(token.id)} />,
          },
          {
            title: t('Last used'),
            width: 'c-l',
            isWide: true,
            cell: ({ lastUsedAt, lastUsedIp }) => (
              <span className="second">
                {lastUsedAt === null
                  ? t('Never')
                  : t('{time}, {address}', {
                      time: formatAgo(lastUsedAt, language, showing.now),
                      address: lastUsedIp ?? '–',
                    })}
              </span>
            ),
          },
          {
            title: t('Actions'),
            width: 'c-xs',
            isNumber: true,
            cell: token => <TokenMenu token={token} isReplaced={successors.has(token.id)} onChosen={act} />,
          },
        ]}
      />
      {open?.what === 'edit' ? (
        <TokenForm applicationId={open.token.applicationId} token={open.token} onIssued={close} onClose={close} />
      ) : null}
      {open?.what === 'rotate' ? (
        <RotateDialog
          token={open.token}
          onClose={close}
          onRotated={token => {
            close()
            onRotated(token)
          }}
        />
      ) : null}
      {open?.what === 'revoke' ? (
        <ChangeDialog
          title={t('Revoke {name}', { name: open.token.name })}
          action={t('Revoke')}
          change={{ method: 'POST', path: `settings/tokens/${open.token.id}/revoke` }}
          onDone={close}
          onClose={close}
        >
          <p>{t('It is refused from now on, and cannot be made good again.')}</p>
          {open.token.lastUsedAt === null ? null : (
            <p className="strong">
              {t('It was last used {time} from {address}.', {
                time: formatMoment(open.token.lastUsedAt, language),
                address: open.token.lastUsedIp ?? '–',
              })}
            </p>
          )}
        </ChangeDialog>
      ) : null}
    </>
  )
}

function TokenState({ token, isReplaced }: { readonly token: Token; readonly isReplaced: boolean }) {
  const { showing } = useWorkspace()
  const { t, language } = showing.words
  const { revokedAt, expiresAt } = token
  if (revokedAt !== null) return <Badge meaning="danger">{t('Revoked')}</Badge>
  if (!isValidToken(token, showing.now)) return <Badge meaning="danger">{t('Expired')}</Badge>
  if (expiresAt === null) return <span className="second">{t('Never')}</span>
  const time = formatMoment(expiresAt, language)
  return isReplaced ? (
    <Badge meaning="warning">{t('Replaced, good until {time}', { time })}</Badge>
  ) : (
    <span className="second">{time}</span>
  )
}

interface TokenMenuProps {
  readonly token: Token
  readonly isReplaced: boolean
  readonly onChosen: (what: string, token: Token) => void
}

function TokenMenu({ token, isReplaced, onChosen }: TokenMenuProps) {
  const { showing } = useWorkspace()
  const { t } = showing.words
  const isValid = isValidToken(token, showing.now)
  return (
    <MenuButton
      label={t('More')}
      onAction={what => onChosen(String(what), token)}
      button={
        <IconButton isSmall label={t('More about {name}', { name: token.name })}>
          <Ellipsis className="icon icon-small" />
        </IconButton>
      }
    >
      <MenuItem id="edit" isDisabled={token.revokedAt !== null}>
        {t('Edit')}
      </MenuItem>
      <MenuItem id="rotate" isDisabled={!isValid || isReplaced}>
        {t('Rotate')}
      </MenuItem>
      <MenuItem id="revoke" isDangerous isDisabled={token.revokedAt !== null}>
        {t('Revoke')}
      </MenuItem>
    </MenuButton>
  )
}
