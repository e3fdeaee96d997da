import { useQuery } from '@tanstack/react-query'
import { CircleUser, CornerDownLeft, LogOut, Search } from 'lucide-react'
import { type RefObject, useDeferredValue, useState } from 'react'
import { Autocomplete, Dialog, Input, Menu, Modal, ModalOverlay, TextField } from 'react-aria-components'
import { Failure, sentenceOf } from '../api/index.ts'
import { Avatar, Key, MenuItem, MenuSection } from '../components/index.ts'
import { type Text, useWords } from '../words/index.ts'
import { type Hit, hitsQuery, pathOfHit, placeOf } from './palette-search.ts'
import type { Place } from './places.ts'
import { useOrganization } from './use-me.ts'
import { useSignOut } from './use-sign-out.ts'

interface PaletteProps {
  readonly places: readonly Place[]
  /** What was typed before it was here. */
  readonly typed: RefObject<string>
  readonly onClose: () => void
  readonly onKeys: () => void
}

/** Search and commands by keyboard: records that the server finds, places, and what is done now and then. */
export function Palette({ places, typed, onClose, onKeys }: PaletteProps) {
  const words = useWords()
  const { t } = words
  const organization = useOrganization()
  const signOut = useSignOut()
  const [text, setText] = useState(() => typed.current)
  const asked = useDeferredValue(text.trim())
  const { data = [], error, isFetching } = useQuery(hitsQuery(organization?.id, asked))
  const isNamed = (name: string) => name.toLocaleLowerCase().includes(text.trim().toLocaleLowerCase())
  const shown = places.filter(({ goTo }) => isNamed(t(goTo)))
  const others: readonly Text[] = (['Your account', 'Keys', 'Sign out'] as const).filter(name => isNamed(t(name)))
  return (
    <ModalOverlay isOpen isDismissable className="scrim" onOpenChange={onClose}>
      <Modal className="dialog palette">
        <Dialog aria-label={t('Commands')} className="dialog-body">
          <Autocomplete>
            <TextField
              aria-label={t('Search or run a command')}
              autoFocus
              value={text}
              onChange={setText}
              className="palette-input"
            >
              <Search className="icon" />
              <Input placeholder={t('Search or run a command')} />
              <Key>Esc</Key>
            </TextField>
            <Menu
              aria-label={t('Commands')}
              className="palette-list"
              onAction={onClose}
              renderEmptyState={() => <p className="menu-title">{t('Nothing found')}</p>}
            >
              {places.map(place => (
                <Hits
                  key={place.path}
                  title={t(place.name)}
                  hits={data.filter(({ type }) => placeOf[type] === place.path)}
                  place={place}
                />
              ))}
              {shown.length + others.length === 0 ? null : (
                <MenuSection title={t('Commands')}>
                  {shown.map(({ path, goTo, letter, icon: Icon }) => (
                    <MenuItem
                      key={path}
                      id={path}
                      href={`/o/${organization?.id}/${path}`}
                      icon={<Icon className="icon" />}
                      end={
                        <>
                          <Key>G</Key>
                          <Key>{letter.toUpperCase()}</Key>
                        </>
                      }
                    >
                      {t(goTo)}
                    </MenuItem>
                  ))}
                  {others.includes('Your account') ? (
                    <MenuItem id="account" href="/account" icon={<CircleUser className="icon" />}>
                      {t('Your account')}
                    </MenuItem>
                  ) : null}
                  {others.includes('Keys') ? (
                    <MenuItem id="keys" icon={<CornerDownLeft className="icon" />} shortcut="?" onAction={onKeys}>
                      {t('Keys')}
                    </MenuItem>
                  ) : null}
                  {others.includes('Sign out') ? (
                    <MenuItem id="sign-out" icon={<LogOut className="icon" />} onAction={signOut}>
                      {t('Sign out')}
                    </MenuItem>
                  ) : null}
                </MenuSection>
              )}
            </Menu>
          </Autocomplete>
          <footer className="palette-foot">
            <span className="only-wide">
              <Key>↑</Key> <Key>↓</Key> {t('choose')}
            </span>
            <span className="only-wide">
              <Key>Enter</Key> {t('open')}
            </span>
            <span className="push" role="status">
              {error instanceof Failure ? sentenceOf(error, words) : isFetching ? t('Searching') : ''}
            </span>
          </footer>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

interface HitsProps {
  readonly title: string
  readonly hits: readonly Hit[]
  readonly place: Place
}

function Hits({ title, hits, place: { icon: Icon } }: HitsProps) {
  const organization = useOrganization()
  if (hits.length === 0 || organization === undefined) return null
  return (
    <MenuSection title={title}>
      {hits.map(({ type, id, title, subtitle }) => (
        <MenuItem
          key={id}
          id={id}
          href={`/o/${organization.id}/${pathOfHit({ type, id })}`}
          icon={
            type === 'contact' || type === 'company' ? (
              <Avatar name={title} id={id} isSquare={type === 'company'} />
            ) : (
              <Icon className="icon" />
            )
          }
          end={subtitle === null ? null : <span className="muted">{subtitle}</span>}
        >
          {title}
        </MenuItem>
      ))}
    </MenuSection>
  )
}
