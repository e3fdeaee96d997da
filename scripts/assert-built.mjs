import { existsSync } from 'node:fs'

/** Runs before `npm start`. In plain JavaScript, because the packages that compile may be missing as well. */
if (!existsSync(new URL('../server/dist/main.js', import.meta.url))) {
  console.error(
    'The server is not compiled: there is no server/dist/main.js. Run "npm ci", which compiles where the development packages ' +
      'are installed; "npm prune --omit=dev" removes them afterwards.',
  )
  process.exit(1)
}
