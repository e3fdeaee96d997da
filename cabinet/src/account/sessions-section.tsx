import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { request } from '../api/index.ts'
import { Badge, Button, FailureBanner, IconButton, Skeleton } from '../components/index.ts'
import { useRemovalFocus } from '../parts/use-removal-focus.ts'
import { type Text, useWords } from '../words/index.ts'
import { Section } from './section.tsx'

/** A browser in which this account is signed in. */
interface OpenSession {
  readonly id: string
  readonly current: boolean
  readonly createdAt: string
  readonly seenAt: string
  readonly addressClass: 'loopback' | 'private' | 'public' | 'unknown'
  /** Empty if the server does not know it. */
  readonly browser: string
}

/** Where a browser is, as seen from the server. */
const networks: Readonly<Record<OpenSession['addressClass'], Text>> = {
  loopback: 'Machine of the server',
  private: 'Private network',
  public: 'Internet',
  unknown: 'Unknown network',
}

/** Where the account is signed in, with what ends it there. */
export function SessionsSection() {
  const { t, language } = useWords()
  const client = useQueryClient()
  const { data, error } = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => request<readonly OpenSession[]>('GET', '/account/sessions', { signal }),
  })
  const end = useMutation({
    mutationFn: (id?: string) => request('DELETE', id === undefined ? '/account/sessions' : `/account/sessions/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: ['sessions'] }),
  })
  const focusOn = (session?: Pick<OpenSession, 'id'>) => document.getElementById(`session-${session?.id}`)?.focus()
  const withFocus = useRemovalFocus(data ?? [], focusOn)
  const endThere = (session: OpenSession) =>
    withFocus(session, () =>
      end.mutateAsync(session.id).then(
        () => true,
        () => false,
      ),
    )
  const endElsewhere = () => end.mutate(undefined, { onSuccess: () => focusOn(data?.find(({ current }) => current)) })
  const timeOf = (moment: string) =>
    new Date(moment).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' })
  const nameOf = ({ browser }: OpenSession) => (browser === '' ? t('Another program') : browser)
  const failure = error ?? end.error
  return (
    <Section title={t('Sessions')}>
      <FailureBanner error={failure} />
      {data === undefined ? (
        <Skeleton />
      ) : (
        <ul className="sessions" aria-label={t('Sessions')}>
          {data.map(session => (
            <li key={session.id} id={`session-${session.id}`} tabIndex={-1}>
              <div>
                <p>
                  {nameOf(session)} {session.current ? <Badge meaning="success">{t('This one')}</Badge> : null}
                </p>
                <p className="sub">
                  {t('{address}, signed in {created}, last seen {seen}', {
                    address: t(networks[session.addressClass]),
                    created: timeOf(session.createdAt),
                    seen: timeOf(session.seenAt),
                  })}
                </p>
              </div>
              {session.current ? null : (
                <IconButton
                  label={t('Sign out of {browser}', { browser: nameOf(session) })}
                  onPress={() => void endThere(session)}
                >
                  <X className="icon" />
                </IconButton>
              )}
            </li>
          ))}
        </ul>
      )}
      {data !== undefined && data.length > 1 ? (
        <div>
          <Button look="danger-quiet" isPending={end.isPending} onPress={endElsewhere}>
            {t('Sign out everywhere else')}
          </Button>
        </div>
      ) : null}
    </Section>
  )
}
