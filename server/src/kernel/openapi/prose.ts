import { failedAuthenticationLimit, limits, rateDefaults } from '../limits/index.ts'
import { errorStatuses, errorTable } from './error-table.ts'

/** Name and description of the only authentication scheme. */
export const securitySchemeName = 'crm-api-token'

export const securityScheme = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'crm_live_…',
  description:
    'The token of an application: `Authorization: Bearer crm_live_…`. ' +
    'The header `X-Api-Token` is accepted instead. Whoever runs the server makes tokens, with the command `token create`.',
}

const idempotencyHours = limits.idempotencyRetentionSeconds / 3600
const listedStatuses = `${errorStatuses.slice(0, -1).join(', ')} and ${errorStatuses.at(-1)}`
const applicationRates = `${rateDefaults.read} reads and ${rateDefaults.write} writes a minute`

/** What holds for all operations: the front page of the reference. */
export const introduction = `Contacts, companies, deals and tasks of an organization, for integrations.

## Tokens

Whoever runs the server makes the token of an application with a command, which shows it this once:

\`\`\`sh
npm run -s crm -- token create \\
  --application ID --name NAME --scopes all
\`\`\`

On a server with its demo organization, \`npm run -s crm -- demo token\` prints a token to try requests with. Where the
server was installed from a package, commands begin with \`crm-server\` instead of \`npm run -s crm --\`.

## Answers

A success is \`{"data": …, "meta": {…}}\`, a failure \`{"error": {"code", "message", "details", "requestId"}}\`.
Members that are empty are \`null\`. Members that the token may not read are absent, and \`meta.redacted\` names
what was taken away: \`contact_data\`, \`amounts\`, \`custom_fields\`, \`operators\`, \`tags\`.

Within v1 answers only grow. Ignore members that you do not know, and be ready for new values where some are
enumerated, also for new codes of failures: \`x-extensible-enum\` tells generators where that is.

## Writing

Every POST, PATCH, PUT and DELETE takes an \`Idempotency-Key\`, except the reading \`batch/get\`. Sending the same
request again with the same key gives the first answer again, for at least ${idempotencyHours} hours. Only successes
are kept.

A record has a \`version\`. A change names the version it was made for in \`expectedVersion\`; if that is not the
current one, the answer is 409 \`version_conflict\` with \`details.currentVersion\`. In a PATCH absent members stay,
\`null\` clears, arrays replace the whole array.

A reference names a record by \`id\` or by the \`externalId\` that your application gave it.

## Reading

Lists are paged: send \`meta.nextCursor\` of one page as \`cursor\` of the next; \`null\` ends the list. To stay up to
date take \`/changes/cursor\` once, list everything, then follow \`/changes\`.

Every GET can be sent as HEAD. The answer has the status and the headers of the GET and no body, and counts as a read.
This document lists no operation for it.

## Errors

The API fails with ${listedStatuses}. Each operation lists the statuses that it can fail with, and says when the codes come that follow from
what it does. A client branches on \`error.code\`; \`error.message\` is for people. Send a request again with the same \`Idempotency-Key\`.

${errorTable()}

## Limits

${applicationRates} for each application unless it was given others, and ${failedAuthenticationLimit} failed authentications
a minute for each address. \`GET /capabilities\` gives the limits in force.`
