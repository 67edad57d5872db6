import { errors, oauthErrors, streamErrors } from '@quipu/contract'
import { code, generatedFrom, table } from './table.ts'

/** Every error with its status, code and message. */
export const errorsPage = (): string => `${generatedFrom('contract/src/errors.table.ts')}

# Errors

An error is JSON: \`{"code": 40310000, "message": "insufficient buying power", "reason": "insufficientBuyingPower", …}\`.
Programs should check the HTTP status and \`code\`. \`reason\` names the exact rule. \`{name}\` in a message is a value of the
request. Further fields are in the body, as text. \`X-Request-ID\` of the response is the id of the request in the log.
503 always means: not applied, try again.

${table(
  ['Status', 'Code', 'Reason', 'Message', 'Further fields', 'When'],
  Object.entries(errors).map(([name, row]) => [
    String(row.status),
    row.textCode === undefined ? String(row.code) : code(row.textCode),
    code(name),
    row.message === '{problem}' ? '(names the field)' : code(row.message),
    Object.keys(row.fields ?? {})
      .map(code)
      .join(', '),
    row.when,
  ]),
)}

## Under /oauth

Endpoints for apps under \`/oauth\` return the errors of OAuth 2.0, \`{"error": "invalid_grant", "error_description": "…"}\`, with
\`code\` and \`message\` added. Endpoints for partner programs under \`/v1/oauth2\` do the same. They add \`fields\` if the error is about
a parameter or a claim: \`{"error": "token_claim", "fields": [{"name": "aud"}]}\`.

${table(
  ['Status', 'Code', 'Error', 'Description', 'When'],
  Object.entries(oauthErrors).map(([name, row]) => [
    String(row.status),
    String(row.code),
    code(name),
    row.message,
    row.when,
  ]),
)}

## Market-data streams

\`[{"T":"error","code":402,"msg":"auth failed"}]\`

${table(
  ['Code', 'Message', 'When'],
  Object.entries(streamErrors).map(([number, { message, when }]) => [number, code(message), when]),
)}
`
