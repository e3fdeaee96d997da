import { useState } from 'react'
import { sentenceOf } from '../api/index.ts'
import { Button, MenuButton, MenuItem, MenuSection, showToast } from '../components/index.ts'
import { LostDialog } from '../deal-moves/lost-dialog.tsx'
import { type Lost, moveDeal } from '../deal-moves/move-deal.ts'
import { type Stage, stageOf } from '../directories/directories.ts'
import type { RecordState } from '../records/record.ts'
import { useWorkspace } from '../workspace/workspace.ts'

/** Moves a deal to another stage. A lost stage asks for the reason. */
export function StageButton({ deal, onMoved }: { readonly deal: RecordState; readonly onMoved: () => void }) {
  const { organization, directories, showing } = useWorkspace()
  const { t } = showing.words
  const [losing, setLosing] = useState<Stage>()
  const current = stageOf(directories, String(deal.stageUuid))
  /** Answers why the server has refused the move; undefined if it has not. What the page shows of the deal is read anew. */
  const move = async (stageUuid: string, lost: Lost = {}): Promise<string | undefined> => {
    try {
      await moveDeal(organization.id, deal, { stageUuid, ...lost }, onMoved)
      return undefined
    } catch (error) {
      return sentenceOf(error, showing.words)
    } finally {
      onMoved()
    }
  }
  const choose = async (key: string | number) => {
    const stage = stageOf(directories, String(key))
    if (stage?.type === 'lost') return setLosing(stage)
    const refused = await move(String(key))
    if (refused !== undefined) showToast({ text: refused })
  }
  const lose = async (stage: Stage, lost: Lost) => {
    const refused = await move(stage.uuid, lost)
    if (refused === undefined) setLosing(undefined)
    return refused
  }
  return (
    <>
      <MenuButton
        label={t('Stage')}
        onAction={key => void choose(key)}
        button={<Button>{current?.name ?? t('Stage')}</Button>}
      >
        {directories.pipelines.map(pipeline => (
          <MenuSection key={pipeline.id} title={pipeline.name}>
            {pipeline.stages.map(({ uuid, name }) => (
              <MenuItem key={uuid} id={uuid}>
                {name}
              </MenuItem>
            ))}
          </MenuSection>
        ))}
      </MenuButton>
      {losing === undefined ? null : (
        <LostDialog deal={deal.id} onClose={() => setLosing(undefined)} onLose={lost => lose(losing, lost)} />
      )}
    </>
  )
}
