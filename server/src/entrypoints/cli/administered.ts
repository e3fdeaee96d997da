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

/** Channels, which routes only read. */
export const administeredChannels = administeredRecord(channel, {
  about: 'channels, in which customers write',
  creates: 'a channel, whose AI operator is switched off',
  removes: 'a channel together with its AI operator',
  by: 'owner',
})

/** What is administered as its declaration says; organizations and tokens are special, and have functions of their own. */
export const administered: readonly Administered[] = [
  ...[application, operator, pipeline, stage, lostReason, tag, customField].map(kind => kind.administered),
  administeredChannels,
]
