import { channel } from '../../external/channels/index.ts'
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

/** Channels. Routes can only read them. */
export const administeredChannels = administeredRecord(channel, {
  about: 'channels, in which customers write',
  creates: 'a channel, whose AI operator is switched off',
  removes: 'a channel together with its AI operator',
})

/** The kinds that commands administer as their declarations say. Organizations and tokens have functions of their own. */
export const administered: readonly Administered[] = [
  ...[application, operator, pipeline, stage, lostReason, tag, customField].map(kind => kind.administered),
  administeredChannels,
]
