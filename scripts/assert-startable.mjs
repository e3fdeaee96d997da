import { existsSync, readFileSync } from 'node:fs'

// Runs before the server and before commands. It is plain JavaScript that an old Node.js understands, because it reports such versions, and
// because the packages for compiling may be missing.
const reason = tooOld() ?? notCompiled()
if (reason !== undefined) {
  console.error(reason)
  process.exit(1)
}

function tooOld() {
  const described = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  const [, oldest = ''] = /"node": ">=([\d.]+)"/.exec(described) ?? []
  const [major = 0, minor = 0] = oldest.split('.').map(Number)
  const [ownMajor = 0, ownMinor = 0] = process.versions.node.split('.').map(Number)
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return undefined
  return `Node.js ${oldest} or later is needed, this is ${process.versions.node}. Install Node.js 24, then run "npm ci" again.`
}

function notCompiled() {
  if (existsSync(new URL('../server/dist/main.js', import.meta.url))) return undefined
  return (
    'The server is not compiled: there is no server/dist/main.js. Run "npm ci", which compiles where the development packages ' +
    'are installed; "npm prune --omit=dev" removes them afterwards.'
  )
}
