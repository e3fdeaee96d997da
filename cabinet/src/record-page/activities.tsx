import { useInfiniteQuery } from '@tanstack/react-query'
import { Mail, MessageSquare, Phone, StickyNote, Trash2, Users } from 'lucide-react'
import { type SyntheticEvent, useMemo, useRef, useState } from 'react'
import { Failure, request, requestAnswer, sentenceOf } from '../api/index.ts'
import { Banner, Button, IconButton, showToast, TextField } from '../components/index.ts'
import { operatorName } from '../directories/directories.ts'
import { formatMoment } from '../format/formats.ts'
import { useRemovalFocus } from '../parts/use-removal-focus.ts'
import { useTextDraft } from '../parts/use-text-draft.ts'
import { type Kind, kindFacts } from '../records/kinds.ts'
import { wordOf } from '../records/labels.ts'
import { firstPage } from '../records/record-requests.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { composed } from './composer.rules.ts'

/** A note, a call, or what else people did. */
interface Activity {
  readonly id: string
  readonly version: number
  readonly type: string
  readonly subject: string | null
  readonly body: string | null
  readonly occurredAt: string
  readonly authorUuid?: string | null
}

/** The activities of a record, the newest first. Tasks have none. */
export function useActivities(organization: string, kind: Kind, id: string) {
  return useInfiniteQuery({
    queryKey: ['activities', organization, kind, id],
    queryFn: ({ pageParam, signal }) =>
      requestAnswer<Activity[]>('GET', `/o/${organization}/crm/${kind}/${id}/activities`, {
        query: { limit: 50, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: firstPage(),
    getNextPageParam: last => last.meta.nextCursor ?? null,
    enabled: kind !== 'tasks',
  })
}

interface ActivitiesProps {
  readonly kind: Kind
  readonly id: string
  readonly activities: ReturnType<typeof useActivities>
  readonly onChanged: () => void
}

const icons: Readonly<Record<string, typeof Phone>> = {
  call: Phone,
  email: Mail,
  meeting: Users,
  message: MessageSquare,
}

/** Notes and activities, with a line to add one. */
export function Activities({ kind, id, activities, onChanged }: ActivitiesProps) {
  const { showing, may } = useWorkspace()
  const { t } = showing.words
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = activities
  const all = useMemo(() => (data?.pages ?? []).flatMap(page => page.data), [data])
  const mayWrite = may(kindFacts[kind].write)
  const section = useRef<HTMLDivElement>(null)
  const withFocus = useRemovalFocus(all, activity =>
    section.current
      ?.querySelector<HTMLElement>(activity === undefined ? 'textarea' : `[data-activity="${activity.id}"] button`)
      ?.focus(),
  )
  return (
    <div ref={section} className="section">
      {mayWrite ? <Composer kind={kind} id={id} onAdded={onChanged} /> : null}
      {error === null ? null : <Banner meaning="warning">{sentenceOf(error, showing.words)}</Banner>}
      {data !== undefined && all.length === 0 ? <p className="muted">{t('No notes or activities yet.')}</p> : null}
      <ol className="timeline">
        {all.map(activity => (
          <ActivityEntry
            key={activity.id}
            kind={kind}
            owner={id}
            activity={activity}
            mayWrite={mayWrite}
            onChanged={onChanged}
            onRemove={remove => withFocus(activity, remove)}
          />
        ))}
      </ol>
      {hasNextPage ? (
        <Button look="quiet" isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          {t('Show older ones')}
        </Button>
      ) : null}
    </div>
  )
}

interface EntryProps {
  readonly kind: Kind
  readonly owner: string
  readonly activity: Activity
  readonly mayWrite: boolean
  readonly onChanged: () => void
  readonly onRemove: (remove: () => Promise<boolean>) => Promise<boolean>
}

function ActivityEntry({ kind, owner, activity, mayWrite, onChanged, onRemove }: EntryProps) {
  const { showing, directories, organization } = useWorkspace()
  const { t, language } = showing.words
  const { type, subject, body, occurredAt, authorUuid } = activity
  const Icon = icons[type] ?? StickyNote
  const author = typeof authorUuid === 'string' ? operatorName(directories, authorUuid) : undefined
  const remove = async (): Promise<boolean> => {
    const path = `/o/${organization.id}/crm/${kind}/${owner}/activities/${activity.id}`
    try {
      await request('DELETE', path, { query: { expectedVersion: activity.version }, key: crypto.randomUUID() })
      return true
    } catch (error) {
      showToast({ text: sentenceOf(error, showing.words) })
      return false
    } finally {
      onChanged()
    }
  }
  return (
    <li className="entry" data-activity={activity.id}>
      <span className="entry-mark">
        <Icon className="icon icon-small" />
      </span>
      <div className="entry-text">
        <p>
          <b className="strong">{author ?? wordOf(type, t)}</b> {author === undefined ? '' : wordOf(type, t)}
        </p>
        {subject === null ? null : <p>{subject}</p>}
        {body === null ? null : <div className="entry-body long-text">{body}</div>}
      </div>
      <div className="entry-side">
        {mayWrite ? (
          <IconButton isSmall label={t('Delete')} onPress={() => void onRemove(remove)}>
            <Trash2 className="icon icon-small" />
          </IconButton>
        ) : null}
        <time dateTime={occurredAt}>{formatMoment(occurredAt, language)}</time>
      </div>
    </li>
  )
}

/** The line that adds a note, or with `/call` a call. What is typed stays until it is saved. */
function Composer({ kind, id, onAdded }: { readonly kind: Kind; readonly id: string; readonly onAdded: () => void }) {
  const { organization, showing } = useWorkspace()
  const { t } = showing.words
  const [typed, setTyped] = useTextDraft(`${kind}/${id}/note`)
  const [key, setKey] = useState(() => crypto.randomUUID())
  const [error, setError] = useState<string>()
  const [isAdding, setAdding] = useState(false)
  const type = (text: string) => {
    setTyped(text)
    setKey(crypto.randomUUID())
  }
  const add = async (event: SyntheticEvent) => {
    event.preventDefault()
    const activity = composed(typed)
    if (activity.body === '' || isAdding) return
    setAdding(true)
    try {
      await request('POST', `/o/${organization.id}/crm/${kind}/${id}/activities`, { body: activity, key })
      type('')
      setError(undefined)
      onAdded()
    } catch (failure) {
      setError(
        failure instanceof Failure && failure.issues[0] !== undefined
          ? failure.issues[0].message
          : sentenceOf(failure, showing.words),
      )
    } finally {
      setAdding(false)
    }
  }
  return (
    <form onSubmit={event => void add(event)} className="composer">
      <TextField
        label={t('Note')}
        hint={t('/call, /meeting, /email or /message in front says what it was.')}
        value={typed}
        onChange={type}
        error={error}
        rows={2}
        maxLength={20_000}
        isReadOnly={isAdding}
      />
      <Button type="submit" isDisabled={composed(typed).body === ''}>
        {t('Add')}
      </Button>
    </form>
  )
}
