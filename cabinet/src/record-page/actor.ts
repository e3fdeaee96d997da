import { type Directories, operatorName } from '../directories/directories.ts'
import type { HistoryEntry } from '../records/record-requests.ts'
import type { Say, Text } from '../words/index.ts'

const names: Readonly<Record<string, Text>> = {
  system: 'The server',
  ai_agent: 'An AI agent',
  import: 'An import',
  bulk_job: 'A bulk job',
  application: 'An application',
  user: 'A person',
}

type Acting = Pick<HistoryEntry, 'actorType' | 'actorUserUuid' | 'actorName' | 'applicationName'>

/** Who did something: the name of the person or the application, or what kind of actor it was where the name is hidden. */
export function actorOf(
  { actorType, actorUserUuid, actorName, applicationName }: Acting,
  directories: Directories,
  t: Say,
): string {
  if (typeof actorName === 'string') return actorName
  if (typeof actorUserUuid === 'string') return operatorName(directories, actorUserUuid) ?? t('A person')
  if (actorType === 'application' && typeof applicationName === 'string') return applicationName
  const word = names[actorType]
  return word === undefined ? actorType : t(word)
}
