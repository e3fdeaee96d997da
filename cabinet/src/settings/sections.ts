import type { ComponentType } from 'react'
import { lazyPart } from '../components/index.ts'
import type { Text } from '../words/index.ts'

/** A page of the settings. */
export interface SettingsSection {
  /** The part of its address behind `settings`. */
  readonly path: string
  readonly name: Text
  readonly group: Text
  /** The right without which it is not there. */
  readonly permission: string
  readonly Page: ComponentType
  /** The page of one of the settings that it lists. */
  readonly OnePage?: ComponentType<{ readonly id: string }>
}

/** The pages of the settings, in the order of the navigation. */
export const settingsSections: readonly SettingsSection[] = [
  {
    path: 'members',
    name: 'Members',
    group: 'Organization',
    permission: 'members_manage',
    Page: lazyPart(async () => (await import('./members/members-page.tsx')).MembersPage),
  },
  {
    path: 'pipelines',
    name: 'Pipelines',
    group: 'Data',
    permission: 'settings_manage',
    Page: lazyPart(async () => (await import('./kinds/pipelines-page.tsx')).PipelinesPage),
  },
  {
    path: 'fields',
    name: 'Fields',
    group: 'Data',
    permission: 'settings_manage',
    Page: lazyPart(async () => (await import('./kinds/kind-page.tsx')).FieldsPage),
  },
  {
    path: 'tags',
    name: 'Tags',
    group: 'Data',
    permission: 'settings_manage',
    Page: lazyPart(async () => (await import('./kinds/kind-page.tsx')).TagsPage),
  },
  {
    path: 'reasons',
    name: 'Reasons',
    group: 'Data',
    permission: 'settings_manage',
    Page: lazyPart(async () => (await import('./kinds/kind-page.tsx')).ReasonsPage),
  },
  {
    path: 'applications',
    name: 'Applications',
    group: 'Connect',
    permission: 'tokens_manage',
    Page: lazyPart(async () => (await import('./applications/applications-page.tsx')).ApplicationsPage),
    OnePage: lazyPart(async () => (await import('./applications/application-page.tsx')).ApplicationPage),
  },
  {
    path: 'webhooks',
    name: 'Webhooks',
    group: 'Connect',
    permission: 'webhooks_manage',
    Page: lazyPart(async () => (await import('./webhooks/webhooks-page.tsx')).WebhooksPage),
    OnePage: lazyPart(async () => (await import('./webhooks/webhook-page.tsx')).WebhookPage),
  },
]
