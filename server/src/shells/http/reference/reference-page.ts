import { exampleIdempotencyKey } from '../../../kernel/openapi/index.ts'

/** Shown instead of the page if its script was not built. */
export const notBuiltText = 'The reference page is not built yet: run `npm run build`.\n'

// The page asks nothing of other hosts: no fonts, no telemetry, no proxy for requests, no assistant, no hosted client.
const configuration = {
  url: 'openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'direct',
  orderSchemaPropertiesBy: 'preserve',
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'crm-api-token' },
}

// Each request gets a new key: with the example key of the documentation every second request would be a conflict.
const startScript = `
Scalar.createApiReference('#app', {
  ...${JSON.stringify(configuration)},
  onRequestBuilt({ request }) {
    if (request.headers.get('Idempotency-Key') !== '${exampleIdempotencyKey}') return
    const bytes = crypto.getRandomValues(new Uint8Array(16))
    request.headers.set('Idempotency-Key', Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join(''))
  },
})
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
    <script nonce="${nonce}" src="reference/scalar.js?v=${scriptHash}"></script>
    <script nonce="${nonce}">${startScript}</script>
  </body>
</html>
`
}

/**
 * Scripts run only with the nonce of this answer, and requests go only to this server. Inline styles are allowed,
 * because the script creates style elements and attributes without a nonce. A style executes nothing, and under this
 * policy it cannot load anything from other hosts.
 */
export function contentSecurityPolicy(nonce: string): string {
  return [
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
