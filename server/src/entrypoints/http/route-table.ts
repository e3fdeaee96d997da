import findMyWay from 'find-my-way'
import type { HttpRoute } from './http-route.ts'

/** A route that a request matches, and its path parameters. */
export interface FoundRoute {
  readonly route: HttpRoute
  readonly path: Readonly<Record<string, string>>
}

type Router = ReturnType<typeof findMyWay>
type Handler = NonNullable<ReturnType<Router['find']>>['handler']

const methods = new Map<string, HttpRoute['method']>([
  ['HEAD', 'GET'],
  ['GET', 'GET'],
  ['POST', 'POST'],
  ['PATCH', 'PATCH'],
  ['PUT', 'PUT'],
  ['DELETE', 'DELETE'],
])

/** Longer parameters match no route. */
const maxParamLength = 1024

/**
 * Routes that the server finds by one route of its own. The router is made for the first request: a server whose routes nobody uses neither
 * starts later for them nor grows.
 */
export class RouteTable {
  readonly #routes: () => readonly HttpRoute[]
  readonly #byHandler = new Map<Handler, HttpRoute>()
  #router: Router | undefined

  constructor(routes: () => readonly HttpRoute[]) {
    this.#routes = routes
  }

  /** The route for this method and path; null if there is none. A HEAD is answered like a GET. */
  find(sent: string, path: string): FoundRoute | null {
    this.#router ??= this.#makeRouter()
    const method = methods.get(sent)
    const found = method === undefined ? null : this.#router.find(method, path)
    // The router has handlers of its own for paths that it cannot decode.
    const route = found === null ? undefined : this.#byHandler.get(found.handler)
    if (found === null || route === undefined) return null
    const parameters = Object.entries(found.params).map(([name, value]) => [name, String(value)])
    return { route, path: Object.fromEntries(parameters) }
  }

  #makeRouter(): Router {
    const router = findMyWay({ maxParamLength })
    for (const route of this.#routes()) {
      const handler = () => {}
      this.#byHandler.set(handler, route)
      router.on(route.method, route.path.replaceAll(/\{(\w+)\}/gu, ':$1'), handler)
    }
    return router
  }
}
