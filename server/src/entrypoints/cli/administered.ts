import { channel, channelWording } from '../../external/channels/index.ts'
import {
  type Administered,
  administeredRecord,
  application,
  customField,
  lostReason,
  operator,
  pipeline,
  stage,
  tag,
} from '../../settings/index.ts'

export const administeredChannels = administeredRecord(channel, channelWording)

/** The kinds that commands administer as their declarations say. Organizations and tokens have functions of their own. */
export const administered: readonly Administered[] = [
  ...[application, operator, pipeline, stage, lostReason, tag, customField].map(kind => kind.administered),
  administeredChannels,
]
