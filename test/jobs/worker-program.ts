import { Secret } from '../../server/src/kernel/index.ts'
import { Worker } from '../../server/src/kernel/jobs/index.ts'
import { Database } from '../../server/src/kernel/sql/index.ts'
import { createServices } from '../../server/src/start/create-services.ts'
import { touchJob } from './touch-job.ts'

// A process that works on the jobs of a test, to be killed. Arguments: the location of the database as JSON, the secret, the data
// directory, and whether no other process works on it.
const [location = '', secret = '', dataDirectory = '', isAlone = ''] = process.argv.slice(2)

const database = new Database({ location: JSON.parse(location) })
const tell = (what: string, error?: unknown) => process.stdout.write(`${what} ${error ?? ''}\n`)
const services = createServices({
  config: { dataDirectory, redisUrl: undefined },
  database,
  secret: new Secret(secret),
  onFailure: error => tell('failure', error),
})
new Worker({
  services,
  jobs: [touchJob],
  upkeep: [],
  version: 'test',
  isAlone: isAlone === 'alone',
  listener: {
    onEnd: ({ outcome, error }) => tell(outcome, error),
    onFailure: (error, what) => tell(`failure of ${what}`, error),
    onFreed: count => tell(`freed ${count}`),
    onUpkeep: () => {},
  },
}).start()
tell('started')
