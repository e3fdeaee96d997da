/**
 * Who may import whom. Arrows point one way: assembly and entrypoints above modules, those above the kernel.
 * Each rule has a canary in test/boundaries, an import that it must catch; a rule without one fails the test.
 *
 * Types count as imports: a cycle of types is a cycle in the reader's head. Tests stand above everything, so rules
 * about layers pass over them.
 */
const tests = '\\.test\\.ts$'

/** Folders of modules with routes, each below the name of its part of the API. */
const parts = '(?:crm|external|ai-agents)'

/** The folder of a module: those below a part of the API are named like routes. */
const module = `(${parts}/[^/]+|settings|webhooks|requests|retention|tenants|archive|cabinet)`

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const forbidden = [
  {
    name: 'no-cycles',
    comment: 'Nothing can be read before the other. Move what both need into a third file.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'kernel-knows-nobody',
    comment: 'The kernel is what everything stands on; it learns of modules by their declarations.',
    from: { path: '^server/src/kernel/', pathNot: tests },
    to: { path: ['^server/src/', '/@crm-server/'], pathNot: '^server/src/kernel/' },
  },
  {
    name: 'kernel-through-its-doors',
    comment: 'Outside, only server/src/kernel/index.ts and server/src/kernel/<folder>/index.ts can be imported.',
    from: { pathNot: '^server/src/kernel/' },
    to: {
      path: '^server/src/kernel/',
      pathNot: ['^server/src/kernel/index\\.ts$', '^server/src/kernel/[^/]+/index\\.ts$'],
    },
  },
  {
    name: 'modules-are-islands',
    comment:
      'What two modules need is an ability of the kernel, or handed over by the files that assemble the product. Only what the ' +
      'records of one refer to is named: the resource that the index.ts of another module exports, never in a circle.',
    from: { path: `^server/src/${module}/`, pathNot: tests },
    to: { path: `^server/src/${module}/`, pathNot: ['^server/src/$1/', `^server/src/${parts}/[^/]+/index\\.ts$`] },
  },
  {
    name: 'records-refer-to-records',
    comment: 'What is no module of records refers to none, and so has nothing to name of theirs.',
    from: { path: '^server/src/(settings|tenants|archive)/', pathNot: tests },
    to: { path: `^server/src/${parts}/` },
  },
  {
    name: 'no-entrypoint-from-below',
    comment: 'Modules see neither an entrypoint nor the assembly, its configuration or the embedded database.',
    from: { path: `^server/src/${module}/`, pathNot: tests },
    to: { path: ['^server/src/', '/@crm-server/'], pathNot: ['^server/src/kernel/', `^server/src/${module}/`] },
  },
  {
    name: 'demo-stands-on-modules',
    comment:
      'Sample data is written through settings and the list of modules, and needs nothing of an entrypoint or the assembly.',
    from: { path: '^server/src/demo/', pathNot: tests },
    to: {
      path: ['^server/src/', '/@crm-server/'],
      pathNot: ['^server/src/(kernel|demo)/', '^server/src/modules\\.ts$', '^server/src/(settings|people)/index\\.ts$'],
    },
  },
  {
    name: 'people-stand-on-settings',
    comment:
      'A membership is a setting of an organization; people need nothing else of modules, entrypoints or the assembly.',
    from: { path: '^server/src/people/', pathNot: tests },
    to: {
      path: ['^server/src/', '/@crm-server/'],
      pathNot: ['^server/src/(kernel|people)/', '^server/src/settings/index\\.ts$'],
    },
  },
  {
    name: 'entrypoints-are-siblings',
    comment: 'What two entrypoints share is a module, or assembly: a file of server/src/start.',
    from: { path: '^server/src/entrypoints/([^/]+)/', pathNot: tests },
    to: { path: '^server/src/entrypoints/', pathNot: '^server/src/entrypoints/$1/' },
  },
  {
    name: 'rules-are-pure',
    comment:
      'Rules can be tested without a database and read without the write path: they see the vocabulary of the schema, ' +
      'and in their own folder other rules and the state they are about.',
    from: { path: '^server/src/(.+)/[^/]+\\.rules\\.ts$' },
    to: { pathNot: ['^server/src/kernel/schema/index\\.ts$', '^server/src/$1/[^/]+(\\.rules|-fields)\\.ts$'] },
  },
  {
    name: 'states-are-types',
    comment: 'Rules see the type of their state, which follows from the fields, and not the fields themselves.',
    from: { path: '\\.rules\\.ts$' },
    to: { path: '-fields\\.ts$', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'one-door-to-the-driver',
    comment:
      'Everything else goes through the pools of server/src/kernel/sql, with their settings and parsers. The server without ' +
      'gates in bench/bare measures what the driver alone can do. An example has a database of its own.',
    from: { pathNot: ['^server/src/kernel/sql/', '^packages/embedded-postgres/', '^bench/bare/', '^examples/'] },
    to: { path: ['node_modules/pg/', 'node_modules/pg-[^/]+/', 'node_modules/@types/pg/'] },
  },
  {
    name: 'one-door-to-the-queue',
    comment:
      'Jobs are added, run and shown through server/src/kernel/jobs; server/src/kernel/sql keeps the schema of the queue.',
    from: { pathNot: '^server/src/kernel/(jobs|sql)/' },
    to: { path: 'node_modules/graphile-worker/' },
  },
  {
    name: 'process-is-not-imported',
    comment:
      'Arguments, environment and terminal are read in server/src/main.ts; the test looks for the global by its name.',
    from: { path: '^server/src/', pathNot: tests },
    to: { path: '^(node:)?process$' },
  },
  {
    name: 'product-stands-alone',
    comment:
      'What is shipped is server/src, and packages by their names: nothing leads to tests, scripts or what is installed for them.',
    from: { path: '^server/src/', pathNot: tests },
    to: { path: ['^(test|scripts|bench|examples|packages)/', tests] },
  },
  {
    name: 'product-needs-no-development-package',
    comment:
      'It would be missing where the product is installed. Packages of this repository are not: they become a part of the program.',
    from: { path: '^server/src/', pathNot: tests },
    to: {
      pathNot: '(^|/)@crm-server/',
      dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
      dependencyTypesNot: ['npm', 'npm-optional', 'type-only'],
    },
  },
  {
    name: 'examples-stand-alone',
    comment: 'An integrator copies the folder and has all of it, with packages that are published.',
    from: { path: '^examples/([^/]+)/' },
    to: { path: '^(server|test|scripts|bench|packages|examples)/', pathNot: ['^examples/$1/', '^packages/sdk/'] },
  },
  {
    name: 'packages-stand-alone',
    comment:
      'A package knows nothing of the product; one that talks to it does so over HTTP. It may use what the SDK exports, and what reads ' +
      'the document for its generator.',
    from: { path: '^packages/([^/]+)/', pathNot: tests },
    to: {
      path: '^(server|test|scripts|bench|packages|examples)/',
      pathNot: ['^packages/$1/', '^packages/sdk/(src/(index|webhooks)|scripts/(api|print-operations))\\.ts$'],
    },
  },
  {
    name: 'no-dead-files',
    comment: 'Every file of the product is reached from its entry.',
    from: { path: '^server/src/main\\.ts$' },
    to: { path: '^server/src/', pathNot: [tests, '\\.d\\.ts$'], reachable: false },
  },
  {
    name: 'everything-resolves',
    comment:
      'An import that cannot be followed is one that no other rule sees. Examples of clients and the nodes for n8n import what a generator makes, and n8n is installed in a folder of its own.',
    from: { pathNot: '^examples/clients/' },
    to: {
      couldNotResolve: true,
      pathNot: '^(n8n-workflow|@n8n/node-cli/eslint|\\./generated/(operations|properties)\\.ts)$',
    },
  },
].map(rule => ({ severity: 'error', ...rule }))

export default {
  forbidden,
  options: {
    // The server has a package.json of its own.
    combinedDependencies: true,
    doNotFollow: { path: '(^|/)node_modules/' },
    // What was compiled repeats what is read here.
    exclude: { path: '^(server|packages/[^/]+)/dist/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'types', 'default'],
    },
  },
}
