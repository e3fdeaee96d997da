/**
 * Who may import whom. Arrows point one way: assembly and shells above features and resources, those above the kernel.
 * Each rule has a canary in test/boundaries, an import that it must catch; a rule without one fails the test.
 *
 * Types count as imports: a cycle of types is a cycle in the reader's head. Tests stand above everything, so rules
 * about layers pass over them.
 */
const tests = '\\.test\\.ts$'

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
    comment: 'The kernel is what everything stands on; it learns of resources and features by their declarations.',
    from: { path: '^src/kernel/', pathNot: tests },
    to: { path: '^src/', pathNot: '^src/kernel/' },
  },
  {
    name: 'kernel-through-its-doors',
    comment: 'Outside, only src/kernel/index.ts and src/kernel/<folder>/index.ts can be imported.',
    from: { pathNot: '^src/kernel/' },
    to: { path: '^src/kernel/', pathNot: ['^src/kernel/index\\.ts$', '^src/kernel/[^/]+/index\\.ts$'] },
  },
  {
    name: 'resources-are-islands',
    comment: 'What two resources need is an ability of the kernel.',
    from: { path: '^src/resources/([^/]+)/', pathNot: tests },
    to: { path: '^src/(resources|features)/', pathNot: '^src/resources/$1/' },
  },
  {
    name: 'features-are-islands',
    comment: 'A feature is given what it needs of others by whoever assembles the product.',
    from: { path: '^src/features/([^/]+)/', pathNot: tests },
    to: { path: '^src/(resources|features)/', pathNot: '^src/features/$1/' },
  },
  {
    name: 'no-shell-from-below',
    comment: 'Resources and features see neither a shell nor the assembly, its configuration or the embedded database.',
    from: { path: '^src/(resources|features)/', pathNot: tests },
    to: { path: '^src/', pathNot: '^src/(kernel|resources|features)/' },
  },
  {
    name: 'shells-are-siblings',
    comment: 'What two shells share is assembly: a file directly below src.',
    from: { path: '^src/(http|cli|worker)/', pathNot: tests },
    to: { path: '^src/(http|cli|worker)/', pathNot: '^src/$1/' },
  },
  {
    name: 'embedded-postgres-stands-alone',
    comment: 'The supervisor knows nothing of the product whose database it runs.',
    from: { path: '^src/embedded-postgres/' },
    to: { path: '^src/', pathNot: '^src/embedded-postgres/' },
  },
  {
    name: 'rules-are-pure',
    comment:
      'Rules can be tested without a database and read without the write path: they see the vocabulary of the schema, ' +
      'and in their own folder other rules and the state they are about.',
    from: { path: '^src/(.+)/[^/]+\\.rules\\.ts$' },
    to: { pathNot: ['^src/kernel/schema/index\\.ts$', '^src/$1/[^/]+(\\.rules|-state)\\.ts$'] },
  },
  {
    name: 'states-are-types',
    comment: 'What rules see of their state is a description, so that nothing comes in behind it.',
    from: { path: '-state\\.ts$' },
    to: { dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'one-door-to-the-driver',
    comment:
      'Everything else goes through the pools of src/kernel/sql, with their settings and parsers. The server without ' +
      'gates in bench/bare measures what the driver alone can do.',
    from: { pathNot: ['^src/(kernel/sql|embedded-postgres)/', '^bench/bare/'] },
    to: { path: ['node_modules/pg/', 'node_modules/pg-[^/]+/', 'node_modules/@types/pg/'] },
  },
  {
    name: 'process-is-not-imported',
    comment: 'Arguments, environment and terminal are read in src/main.ts; the test looks for the global by its name.',
    from: { path: '^src/', pathNot: tests },
    to: { path: '^(node:)?process$' },
  },
  {
    name: 'product-stands-alone',
    comment: 'What is shipped is src: nothing in it leads to tests, scripts or packages that are installed for them.',
    from: { path: '^src/', pathNot: tests },
    to: { path: ['^(test|scripts|bench|examples|packages)/', tests] },
  },
  {
    name: 'product-needs-no-development-package',
    comment: 'It would be missing where the product is installed.',
    from: { path: '^src/', pathNot: tests },
    to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm', 'type-only'] },
  },
  {
    name: 'examples-stand-alone',
    comment: 'An integrator copies the folder and has all of it.',
    from: { path: '^examples/([^/]+)/' },
    to: { path: '^(src|test|scripts|bench|packages|examples)/', pathNot: '^examples/$1/' },
  },
  {
    name: 'packages-stand-alone',
    comment: 'They reach the server through HTTP.',
    from: { path: '^packages/([^/]+)/' },
    to: { path: '^(src|test|scripts|bench|packages|examples)/', pathNot: '^packages/$1/' },
  },
  {
    name: 'no-dead-files',
    comment: 'Every file of the product is reached from its entry.',
    from: { path: '^src/main\\.ts$' },
    to: { path: '^src/', pathNot: [tests, '\\.d\\.ts$'], reachable: false },
  },
  {
    name: 'everything-resolves',
    comment: 'An import that cannot be followed is one that no other rule sees.',
    from: {},
    to: { couldNotResolve: true },
  },
].map(rule => ({ severity: 'error', ...rule }))

export default {
  forbidden,
  options: {
    doNotFollow: { path: '(^|/)node_modules/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
}
