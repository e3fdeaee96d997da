import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { FailureToLoad } from './test/support/failure-to-load.ts'
import { LongestFirst } from './test/support/longest-first.ts'

type Options = NonNullable<TestProjectInlineConfiguration['test']>

/** What most projects need: a PostgreSQL server for the run, with a migrated template of a database. */
const onPostgres: Options = {
  globalSetup: ['test/support/global-setup.ts'],
  setupFiles: ['test/support/use-compiled-readers.ts'],
}

/** Two files of such a project would disturb each other: they measure, or share what there is once. */
const oneAfterTheOther: Options = { maxWorkers: 1, fileParallelism: false }

/** The files of projects that have a command of their own. */
const ownFiles = {
  abuse: ['test/abuse/**/*.test.ts'],
  cabinet: ['test/cabinet-pages/**/*.test.ts'],
  citus: ['test/cluster/**/*.test.ts'],
  clients: ['test/clients/**/*.test.ts'],
  n8n: ['test/n8n/program/**/*.test.ts'],
  'n8n-nodes': ['test/n8n/*.test.ts'],
  packages: ['test/packages/**/*.test.ts'],
  process: [
    'packages/embedded-postgres/src/embedded-postgres.test.ts',
    'test/{cli,crash,process,several-processes}/**/*.test.ts',
    'test/documentation/{adding-a-resource,tour}.test.ts',
  ],
  python: ['test/python/**/*.test.ts'],
  services: ['test/services/**/*.test.ts'],
  upgrade: ['test/upgrade/**/*.test.ts'],
}

const apiFiles = 'test/{cabinet,concurrency,conformance,isolation}/**/*.test.ts'

/**
 * Most code runs a few times here, and to optimize it takes longer than it gains: V8 does so after fifteen times as much work as usual.
 * Only Node.js 20 has this option; later versions optimize nothing.
 */
const optimization = process.version.startsWith('v20.') ? '--interrupt-budget=1000000' : '--no-opt'

const projects: Readonly<Record<string, Options>> = {
  /** What `npm test` runs: all that has no project of its own. */
  default: {
    ...onPostgres,
    include: [
      '{cabinet,server,packages/*}/src/**/*.test.ts',
      'cabinet/build/*.test.ts',
      'packages/sdk/scripts/*.test.ts',
      'scripts/n8n/*.test.ts',
      '{test,examples}/**/*.test.ts',
    ],
    exclude: [...Object.values(ownFiles).flat(), 'node_modules/**'],
    globalSetup: ['test/support/global-setup.ts', 'test/support/listed-failures.ts'],
    // To collect garbage often takes longer than it gains. Every version of Node.js that the product runs on knows these options.
    execArgv: [optimization, '--max-semi-space-size=32', '--initial-heap-size=512'],
  },

  /**
   * The program as its operator runs it: started, called, killed at any moment and again and again, and servers whose processes are
   * replaced; and what else starts it, or servers of PostgreSQL. Most of it is waiting for starts and for what others take over, so
   * more files run at a time than there are processors.
   */
  process: { ...onPostgres, include: ownFiles.process, maxWorkers: 4 },

  /** Needs programs that npm does not install: redis-server, Chromium, weed of SeaweedFS, and Debian's PostgreSQL and PgBouncer. */
  services: { ...onPostgres, ...oneAfterTheOther, include: ownFiles.services },

  /** The pages of the cabinet in Chromium, which Debian has. They are built once for the run. */
  cabinet: { ...onPostgres, include: ownFiles.cabinet, maxWorkers: 2 },

  /** Attacks on the started program, with time and memory measured. */
  abuse: {
    ...oneAfterTheOther,
    include: ownFiles.abuse,
    globalSetup: ['test/abuse/support/global-setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },

  /** An upgrade from the release before, which is taken from git, installed and compiled. Needs its tag, and the registry of npm. */
  upgrade: { ...onPostgres, include: ownFiles.upgrade },

  /**
   * What a release consists of, installed and run, and the files of `deploy`, checked by the tools that read them. Needs root, the
   * registry of npm, Debian's packages, and what `.ci/packages` installs.
   */
  packages: {
    ...onPostgres,
    ...oneAfterTheOther,
    include: ownFiles.packages,
    globalSetup: ['test/support/global-setup.ts', 'test/packages/support/global-setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },

  /** The client in Python against the product. Needs the Python that `.ci/python` installs, which runs this. */
  python: { ...onPostgres, include: ownFiles.python },

  /** Clients that generators of five kinds make of the document, and receivers of webhooks with seven libraries. Needs Python, Go, a JDK with Maven, and their registries. */
  clients: { include: ownFiles.clients, testTimeout: 1_200_000 },

  /** The nodes of n8n, executed by stand-ins for n8n. Needs the packages of `scripts/n8n`. */
  'n8n-nodes': {
    include: ownFiles['n8n-nodes'],
    alias: {
      'n8n-workflow': fileURLToPath(
        new URL('scripts/n8n/node_modules/n8n-workflow/dist/cjs/index.js', import.meta.url),
      ),
    },
  },

  /** The nodes in n8n itself. Needs Node.js 24 and n8n, 3 GB, both from the registry of npm, or those that N8N_INSTALLED names. */
  n8n: { ...onPostgres, include: ownFiles.n8n, testTimeout: 300_000, hookTimeout: 1_800_000 },

  /**
   * The promises that a client can see, on the Citus cluster that CITUS_URL names: a database for tests alone, which is migrated and
   * distributed here. All files share it, each with organizations of its own, and the queue of jobs as well: what one file has queued,
   * no other may run. Without a cluster it has the tests about clusters alone, so that a file of the API that is named without a
   * project is run once.
   */
  citus: {
    ...oneAfterTheOther,
    include: process.env.CITUS_URL === undefined ? ownFiles.citus : [...ownFiles.citus, apiFiles],
    exclude: [
      // They look for a statement that waits, by its name, in the views of one server: nodes are sent statements without names.
      'test/concurrency/{erasures,locks,previews,removed-settings,settings,stored-files}.test.ts',
      // They make writes fail with a trigger, and reports slow with a view in the place of a table: Citus takes neither.
      'test/concurrency/{group-failures,reports}.test.ts',
      // It copies a database and takes its epoch for its own: here all files share the one of the cluster, of which no copy can be made.
      'test/conformance/feed-epoch.test.ts',
      // It is about the settings of one server that is not part of a cluster.
      'test/conformance/session-settings.test.ts',
    ],
    globalSetup: ['test/support/cluster-setup.ts', 'test/support/listed-failures.ts'],
    setupFiles: ['test/support/use-compiled-readers.ts'],
    testTimeout: 120_000,
  },
}

/** What Stryker runs for each mutant: the tests of the pure parts, which need no database. */
const mutants: Options = {
  include: [
    'server/src/**/*.rules.test.ts',
    'server/src/kernel/*.test.ts',
    'server/src/kernel/{schema,write,abilities}/**/*.test.ts',
  ],
}

// Stryker can name a configuration, but no project of it. It sets this variable where it runs tests.
const isForStryker = process.env.STRYKER_MUTATOR_WORKER !== undefined

export default defineConfig({
  test: {
    // One more than there are processors on most machines of a CI, unless a project says otherwise: some worker always waits for a
    // program or a limit.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // A CI begins without modules of other states, and runs many projects: what one of them has transformed, the next need not.
    experimental: { fsModuleCache: process.env.CI !== undefined },
    ...(isForStryker && { reporters: [new FailureToLoad()] }),
    projects: Object.entries(isForStryker ? { mutants } : projects).map(([name, options], groupOrder) => ({
      // Packages of this repository are tested from their sources.
      ssr: { resolve: { conditions: ['source'] } },
      test: {
        name,
        testTimeout: 60_000,
        hookTimeout: 120_000,
        // A busy machine takes its time: what is not there yet is waited for nearly as long as the test may take.
        expect: { poll: { timeout: 50_000 } },
        // Modules are loaded once for each worker, as in a process that serves. To load them for each file took a third of the run.
        isolate: false,
        // Projects that are run together are run one after the other: each has workers of its own number.
        sequence: { groupOrder },
        ...options,
      },
    })),
  },
})
