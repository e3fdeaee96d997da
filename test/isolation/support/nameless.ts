/** Operations that name nothing of an organization; cursors of the feed and of the audit log have tests of their own. */
export const nameless = [
  'agents.list',
  'apiIntegrations.create',
  'apiIntegrations.list',
  'bulkJobs.list',
  'channels.list',
  'changes.cursor',
  'changes.list',
  'capabilities.get',
  'exports.list',
  'imports.list',
  'knowledgeBases.create',
  'knowledgeBases.list',
  'productsSets.create',
  'productsSets.list',
]
