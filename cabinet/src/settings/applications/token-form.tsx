import { useQuery } from '@tanstack/react-query'
import { request } from '../../api/index.ts'
import { Button, Checkbox } from '../../components/index.ts'
import { isList, type Json, type JsonObject } from '../../records/record.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { SettingForm } from '../setting-form.tsx'
import { changedValues, tidyValues } from '../setting-values.ts'
import { day, tokenFields } from './fields.ts'
import { containsAddress } from './networks.rules.ts'
import { groupScopes, type ScopeGroup } from './scopes.ts'
import type { NewToken, Token } from './token.ts'

interface TokenFormProps {
  readonly applicationId: string
  /** The one that is changed; absent for a new one. */
  readonly token?: Token
  readonly onIssued: (token: NewToken) => void
  readonly onClose: () => void
}

/** Makes a token, or changes one. Nobody can give a scope that they lack, so only the own ones are offered, and those that it has. */
export function TokenForm({ applicationId, token, onIssued, onClose }: TokenFormProps) {
  const { organization, showing } = useWorkspace()
  const { t } = showing.words
  const before = { name: token?.name ?? '', scopes: token?.scopes ?? [], cidrs: token?.cidrs ?? [] }
  const isNew = token === undefined
  const own = organization.permissions
  const fields = tokenFields.map(field => ({
    ...field,
    choices: field.choices?.filter(({ id }) => !isNew || id !== 'unchanged') ?? [],
  }))
  const bodyOf = ({ expires = '', ...values }: JsonObject) => ({
    ...(isNew ? { applicationId, ...tidyValues(values) } : changedValues(values, before, token.version)),
    ...(expires !== 'unchanged' && { expiresInSeconds: expires === 'never' ? null : Number(expires) }),
  })
  const path = 'settings/tokens'
  return (
    <SettingForm<NewToken>
      title={isNew ? t('New token') : t('Edit {name}', { name: token.name })}
      draft={isNew ? `new-token/${applicationId}` : `token/${token.id}`}
      fields={fields}
      values={{ ...before, expires: isNew ? String(90 * day) : 'unchanged' }}
      toChange={values => ({
        ...(isNew ? { method: 'POST', path } : { method: 'PATCH', path: `${path}/${token.id}` }),
        body: bodyOf(values),
      })}
      action={isNew ? t('Make the token') : t('Save')}
      onDone={answer => (isNew ? onIssued(answer) : onClose())}
      onClose={onClose}
    >
      {({ values, set, errorOf }) => (
        <>
          <OwnAddress networks={values.cidrs} />
          <ScopeInput
            groups={groupScopes([...new Set([...own, ...before.scopes])])}
            value={values.scopes}
            error={errorOf('scopes')}
            onChange={scopes => set('scopes', scopes)}
          />
        </>
      )}
    </SettingForm>
  )
}

/** Says whether the networks that were typed contain the address of this browser. */
function OwnAddress({ networks }: { readonly networks: Json | undefined }) {
  const { t } = useWorkspace().showing.words
  const { data } = useQuery({
    queryKey: ['own-address'],
    queryFn: ({ signal }) => request<{ readonly address: string }>('GET', '/account/address', { signal }),
  })
  if (data === undefined) return null
  const isIncluded = containsAddress(isList(networks) ? networks.map(String) : [], data.address)
  if (isIncluded === null) return null
  return (
    <p className="hint" role="status">
      {isIncluded
        ? t('Your address {address} is included.', { address: data.address })
        : t('Your address {address} is not included.', { address: data.address })}
    </p>
  )
}

interface ScopeInputProps {
  readonly groups: readonly ScopeGroup[]
  readonly value: Json | undefined
  readonly error: string | undefined
  readonly onChange: (scopes: readonly string[]) => void
}

/** The scopes of a token by what they are about. */
function ScopeInput({ groups, value, error, onChange }: ScopeInputProps) {
  const { t } = useWorkspace().showing.words
  const chosen = isList(value) ? value.map(String) : []
  const all = groups.flatMap(({ scopes }) => scopes.map(({ id }) => id))
  return (
    <div className="field" role="group" aria-label={t('Scopes')}>
      <span className="row-flex">
        <span className="label">{t('Scopes')}</span>
        <span className="push row-flex">
          <Button isSmall look="quiet" onPress={() => onChange(all.filter(scope => scope.endsWith('_read')))}>
            {t('All to read')}
          </Button>
          <Button isSmall look="quiet" onPress={() => onChange(all)}>
            {t('All')}
          </Button>
        </span>
      </span>
      {error === undefined ? null : (
        <p className="error-text" role="alert">
          {error}
        </p>
      )}
      <div className="scope-groups">
        {groups.map(({ id, name, shows, scopes }) => (
          <div key={id} className="scope-group" role="group" aria-labelledby={`scope-${id}`}>
            <span id={`scope-${id}`} className="strong">
              {name === null ? id : t(name)}
            </span>
            {shows === null ? null : <span className="sub">{t(shows)}</span>}
            <div className="radios">
              {scopes.map(scope => (
                <Checkbox
                  key={scope.id}
                  isSelected={chosen.includes(scope.id)}
                  onChange={isChosen =>
                    onChange(isChosen ? [...chosen, scope.id] : chosen.filter(each => each !== scope.id))
                  }
                >
                  {t(scope.verb)}
                </Checkbox>
              ))}
            </div>
          </div>
        ))}
      </div>
    </div>
  )
}
