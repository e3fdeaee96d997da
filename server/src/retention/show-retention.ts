import { cabinetConventions, cabinetPath, defineOperation } from '../kernel/index.ts'

const seconds = (description: string) => ({ type: 'integer', description: `${description}, in seconds.` })

/** `GET …/settings/retention`: how long the server keeps what it does not keep for good. The operator of the installation decides it. */
export const showRetention = defineOperation({
  conventions: cabinetConventions,
  id: 'settings.retention.get',
  method: 'GET',
  path: cabinetPath('/settings/retention'),
  summary: 'Read how long the server keeps events, audit entries and jobs',
  scopes: ['settings_manage'],
  answer: {
    data: {
      component: 'RetentionSetting',
      type: 'object',
      required: ['answers', 'changes', 'auditEntries', 'bulkJobs'],
      properties: {
        answers: seconds('Answers for repeated requests'),
        changes: seconds('Events of the change feed, and the log of deliveries'),
        auditEntries: seconds('Entries of the audit log'),
        bulkJobs: seconds('Bulk jobs, from their end'),
      },
    },
  },
  execute: (_, { retention }) => Promise.resolve({ status: 200, data: { ...retention }, meta: {} }),
})
