import type { Module } from '../kernel/index.ts'
import { application } from './application.ts'
import { customField } from './custom-field.ts'
import { lostReason } from './lost-reason.ts'
import { organizationOperations } from './operations/organization-operations.ts'
import { settingOperations } from './operations/setting-operations.ts'
import { tokenOperations } from './operations/token-operations.ts'
import { webhookDeliveryOperations } from './operations/webhook-delivery-operations.ts'
import { type WebhookParts, webhookSettingOperations } from './operations/webhook-operations.ts'
import { operator } from './operator.ts'
import { organization } from './organization.ts'
import { pipeline, stage } from './pipeline.ts'
import type { Administered } from './setting.ts'
import { settingBounds } from './setting-bounds.ts'
import { tag } from './tag.ts'
import { token } from './token.ts'
import { webhook } from './webhooks/webhook.ts'

export { type Administration, administer } from './administer.ts'
export { AdministrationError, missing, noSuch, UnknownSetting } from './administration-error.ts'
export { createApplication, setApplication } from './application.ts'
export { type Organization, organizationControls, setOrganization } from './change-organization.ts'
export type { Control } from './controls.ts'
export { createCustomField } from './custom-field.ts'
export { createOrganization, makeDemo, placeOrganization, type StartingSettings } from './founding.ts'
export { createLostReason } from './lost-reason.ts'
export { createMetricsToken, listMetricsTokens, type MetricsToken, revokeMetricsToken } from './metrics-tokens.ts'
export { type NamingOptions, withIds } from './named-options.ts'
export { administrationBy, answerAdministration } from './operations/answer-administration.ts'
export { createOperator, setOperator } from './operator.ts'
export { idNamed, organizationOf, settingNamed } from './organization-of.ts'
export { phoneNumbers } from './phone-numbers/index.ts'
export { createPipeline, createStage, setStage } from './pipeline.ts'
export { administeredRecord } from './records.ts'
export { removeSetting } from './remove-setting.ts'
export type { RemovableSetting, SettingAddress } from './setting.ts'
export {
  listEverywhere,
  listOrganizations,
  listSettings,
  type SettingsPlace,
  showOrganization,
  showSetting,
} from './show-settings.ts'
export { createTag } from './tag.ts'
export { tokenControls } from './token.ts'
export { rotateToken } from './token-rotation.ts'
export { createToken, type IssuedToken, revokeToken, setToken } from './tokens.ts'
export { parseDuration, parseSize, sizeText } from './values.ts'
export { createWebhook } from './webhooks/create-webhook.ts'
export { cancelReplay, replayWebhook } from './webhooks/replay-webhook.ts'
export { rotateWebhook } from './webhooks/rotate-webhook.ts'
export { type ChangedWebhook, pauseWebhook, resumeWebhook, setWebhook } from './webhooks/set-webhook.ts'
export { webhookControls } from './webhooks/webhook.ts'
export type { WebhookAdministration } from './webhooks/webhook-administration.ts'
export type { Administered }

export { application, customField, lostReason, operator, organization, pipeline, stage, tag, token, webhook }

/** Organizations and their configuration. Commands and the pages administer it; the API for integrators has no routes. */
export const settings: Module = {
  resources: [organization, application, token, operator, pipeline, stage, lostReason, tag, customField, webhook],
  operations: [],
}

const ofManagers = { reads: 'settings_manage', changes: 'settings_manage' } as const

/** The kinds that the pages administer as their declarations say, and what that needs. */
const offered = [
  { administered: application.administered, reads: 'tokens_manage', changes: 'tokens_manage' },
  { administered: operator.administered, reads: 'settings_manage', changes: 'members_manage' },
  ...[pipeline, stage, lostReason, tag, customField].map(({ administered }) => ({ administered, ...ofManagers })),
] as const

/** What the pages administer. Its kinds are no records of the CRM, so the modules do not have them as such. */
export const settingsPages: Module = {
  operations: [],
  bounds: settingBounds,
  cabinetOperations: [
    ...organizationOperations,
    ...offered.flatMap(each => settingOperations(each, settings.resources ?? [])),
    ...tokenOperations(settings.resources ?? []),
  ],
}

/** The administration of channels in the pages: `channels` are what commands administer. */
export function channelPages(channels: Administered): Module {
  const rights = { reads: 'channels_read', changes: 'channels_manage' } as const
  return {
    operations: [],
    cabinetOperations: settingOperations({ administered: channels, ...rights }, settings.resources ?? []),
  }
}

/** The administration of webhooks in the pages. The files that assemble the product hand over what knows of events and deliveries. */
export function webhookPages(parts: WebhookParts): Module {
  return {
    operations: [],
    cabinetOperations: [
      ...webhookSettingOperations(parts, settings.resources ?? []),
      ...webhookDeliveryOperations(parts),
    ],
  }
}
