import { securitySchemeName } from '../../../kernel/openapi/index.ts'
import { exampleExternalId } from '../../../kernel/schema/index.ts'

/** Shown instead of the page if its script was not built. */
export const notBuiltText = 'The reference page is not built yet: run `npm run build`.\n'

// The page requests nothing from other hosts: no fonts, no telemetry, no proxy for requests, no assistant, no hosted client.
const configuration = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'direct',
  orderSchemaPropertiesBy: 'preserve',
  persistAuth: false,
}

/**
 * Every operation gets an idempotency key of its own, which the page shows and sends: sending a request twice gives the same answer.
 * Examples name records by a key of this visit, so that they do not conflict with those of an earlier one. The token is kept only while the
 * page is open: it has no storage.
 */
const startScript = `
const random = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')
const withKeys = (key, value) => {
  if (value?.$ref !== '#/components/parameters/IdempotencyKey') return value
  return { ...parameters.IdempotencyKey, example: random() }
}
let parameters
fetch('openapi.json').then(answer => answer.text()).then(text => {
  const visit = '${exampleExternalId}-' + random().slice(0, 6)
  const document = JSON.parse(text.replaceAll('"${exampleExternalId}"', JSON.stringify(visit)))
  parameters = document.components.parameters
  Scalar.createApiReference('#app', {
    ...${JSON.stringify(configuration)},
    content: JSON.parse(JSON.stringify(document), withKeys),
    authentication: { preferredSecurityScheme: ${JSON.stringify(securitySchemeName)} },
  })
})
`

/** A sandboxed page has no storage, and its library cannot do without: what it keeps is forgotten with the page. */
const storageScript = `
for (const name of ['localStorage', 'sessionStorage']) {
  const kept = new Map()
  const storage = {
    getItem: key => kept.get(String(key)) ?? null,
    setItem: (key, value) => void kept.set(String(key), String(value)),
    removeItem: key => void kept.delete(String(key)),
    clear: () => kept.clear(),
    key: index => [...kept.keys()][index] ?? null,
    get length() { return kept.size },
  }
  Object.defineProperty(window, name, { value: storage })
}
`

/** The page. Its addresses are relative, so that it also works behind a proxy that adds a prefix. */
export function referencePage(nonce: string, scriptHash: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>CRM Public API</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="app"></div>
    <script nonce="${nonce}">${storageScript}</script>
    <script nonce="${nonce}" src="reference/scalar.js?v=${scriptHash}"></script>
    <script nonce="${nonce}">${startScript}</script>
  </body>
</html>
`
}

/**
 * Scripts run only with the nonce of this answer, and requests go only to this server. Inline styles are allowed, because the script
 * creates style elements and attributes without a nonce. A style executes nothing, and under this policy it cannot load anything from other
 * hosts. The sandbox gives the page an origin of its own: its script comes from a library, and must not act for a user who is
 * signed in to the cabinet.
 */
export function contentSecurityPolicy(nonce: string): string {
  return [
    'sandbox allow-scripts allow-forms allow-downloads allow-popups',
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
