import { type Operation, type Refusal, refuse } from '../../kernel/index.ts'
import { editDistance, isUuid } from '../../kernel/schema/index.ts'
import { entryAt } from './entries.ts'

/** A path of the API with its methods, as a refusal names it. */
interface KnownRoute {
  readonly path: string
  readonly methods: readonly string[]
}

interface Candidate extends KnownRoute {
  readonly segments: readonly string[]
  /** How many of these segments are the prefix of its part of the API. */
  readonly prefixed: number
}

const mostNearest = 3
/** The largest edit distance, in characters, at which a route is suggested. */
const farthest = 3
/** Longer paths and segments match no route and are not compared. */
const [longestPath, longestSegment] = [256, 40]
const document = '/openapi.json'

/** Finds the routes that a client probably meant by a request that matches none (gate 1). All of them are in the public document. */
export class UnknownRoutes {
  readonly #routes: readonly Candidate[]

  constructor(operations: readonly Operation[]) {
    const routes = new Map<string, Candidate>()
    for (const { path, method } of operations) {
      const methods = [...(routes.get(path)?.methods ?? []), ...(method === 'GET' ? ['GET', 'HEAD'] : [method])]
      const segments = segmentsOf(path)
      const prefixed = segmentsOf(entryAt(path).prefix).length
      routes.set(path, { path, methods: methods.toSorted(), segments, prefixed })
    }
    this.#routes = [...routes.values()]
  }

  /** 404 with the methods of the path; or with the nearest routes, if there are any, and the address of the OpenAPI document. */
  refuse(method: string, path: string): Refusal {
    const segments = segmentsOf(path)
    // Several routes can match, because a word may also be in the position of an id.
    const same = this.#routes.filter(route => isAt(route, segments))
    if (same.length > 0) {
      const methods = [...new Set(same.flatMap(route => route.methods))].toSorted()
      // The route exists, but the framework has refused an id that no record can have.
      if (methods.includes(method)) return refuse('not_found')
      const message = `This path has no ${methodName(method)}: it has ${methods.join(', ')}. All are in ${document}`
      return refuse('not_found', { routes: same.map(shown), document }, message)
    }
    const nearest = path.length > longestPath ? [] : this.#nearest(segments)
    const meant = nearest.map(({ path, methods }) => `${methods.join(', ')} ${path}`).join('; ')
    const message = `There is no such route${meant === '' ? '' : `: near it are ${meant}`}. All are in ${document}`
    return refuse('not_found', { routes: nearest.map(shown), document }, message)
  }

  #nearest(segments: readonly string[]): readonly KnownRoute[] {
    const distances = new Map<string, number>()
    const distance = (sent: string, known: string) => {
      const key = `${sent}/${known}`
      const found = distances.get(key) ?? distanceOf(sent, known)
      distances.set(key, found)
      return found
    }
    return this.#routes
      .map(route => {
        const { segments: known, prefixed } = route
        // Compare the path without the prefix as well.
        const distances = [known, known.slice(prefixed)].map(each => sum(segments, each, distance))
        return { route, distance: Math.min(...distances) }
      })
      .filter(each => each.distance <= farthest)
      .toSorted((one, other) => one.distance - other.distance)
      .slice(0, mostNearest)
      .map(({ route }) => route)
  }
}

function segmentsOf(path: string): string[] {
  return path.split('/').slice(1)
}

function shown({ path, methods }: KnownRoute): KnownRoute {
  return { path, methods }
}

/** The client chooses the method too. */
function methodName(method: string): string {
  return /^[A-Z]{1,16}$/u.test(method) ? method : 'such method'
}

function isAt({ segments }: Candidate, sent: readonly string[]): boolean {
  return (
    segments.length === sent.length &&
    segments.every((known, at) => (isId(known) ? sent[at] !== '' : known === sent[at]))
  )
}

function isId(segment: string): boolean {
  return segment.startsWith('{')
}

function sum(sent: readonly string[], known: readonly string[], distance: (sent: string, known: string) => number) {
  if (sent.length !== known.length || sent.length === 0) return Infinity
  let all = 0
  for (let at = 0; at < sent.length && all <= farthest; at += 1) all += distance(sent[at] ?? '', known[at] ?? '')
  return all
}

function distanceOf(sent: string, known: string): number {
  if (sent === known) return 0
  if (sent.length > longestSegment) return isId(known) ? 0 : Infinity
  // A word in the position of an id is more probably another word.
  if (isId(known)) return isUuid(sent) || /\d/u.test(sent) ? 0 : 2
  const most = Math.min(farthest, Math.floor(known.length / 2))
  const distance = editDistance(sent.toLowerCase(), known, most)
  return distance > most ? Infinity : distance
}
