import { Archive } from 'lucide-react'
import { Failure, sentenceOf } from '../api/index.ts'
import { Button, ButtonLink, Empty } from '../components/index.ts'
import { formatMoment } from '../format/formats.ts'
import type { Kind } from '../records/kinds.ts'
import { titleOfKind } from '../records/labels.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { actorOf } from './actor.ts'
import { type Panel, RecordFrame } from './record-frame.tsx'
import { useHistory } from './use-history.ts'

interface GoneProps {
  readonly kind: Kind
  readonly id: string
  readonly failure: Failure
  readonly panel: Panel | undefined
}

/** Whether a record could not be read because it is not there any more. */
export function isGone(error: unknown): error is Failure {
  return error instanceof Failure && (error.status === 404 || error.status === 410)
}

/** What became of a record that is not there any more, as far as its history tells. */
export function GonePage({ kind, id, failure, panel }: GoneProps) {
  const { organization, directories, showing } = useWorkspace()
  const { t, language } = showing.words
  const { entries } = useHistory(organization.id, kind, id)
  const { mergedIntoId } = failure.details
  const last = entries.find(
    ({ action }) => action.endsWith('.deleted') || action.endsWith('.anonymized') || action.endsWith('.merged'),
  )
  const title =
    typeof mergedIntoId === 'string'
      ? t('This record was merged into another one')
      : failure.status === 410
        ? t('This person was erased')
        : last === undefined
          ? t('There is no such record')
          : t('This record was deleted')
  return (
    <RecordFrame panel={panel} name={title}>
      {panel === undefined ? <h1 className="visually-hidden">{title}</h1> : null}
      <Empty
        icon={<Archive className="icon" />}
        title={title}
        actions={
          typeof mergedIntoId === 'string' ? (
            <ButtonLink look="primary" href={`/o/${organization.id}/${kind}/${mergedIntoId}`}>
              {t('Open that one')}
            </ButtonLink>
          ) : panel === undefined ? (
            <ButtonLink href={`/o/${organization.id}/${kind}`}>{t(titleOfKind[kind])}</ButtonLink>
          ) : (
            <Button onPress={panel.onClose}>{t(titleOfKind[kind])}</Button>
          )
        }
      >
        {last === undefined
          ? failure.status === 404
            ? undefined
            : sentenceOf(failure, showing.words)
          : t('{who}, {when}', { who: actorOf(last, directories, t), when: formatMoment(last.occurredAt, language) })}
      </Empty>
    </RecordFrame>
  )
}
