import { type ErrorRow, errors, type OAuthErrorRow, oauthErrors, streamErrors } from '@quipu/contract'
import { code, madeFrom, table } from './table.ts'

/** Every refusal with its status, code and message. */
export const errorsPage = (): string => `${madeFrom('contract/src/errors.table.ts')}

# Errors

An error is JSON: \`{"code": 40310000, "message": "insufficient buying power", "reason": "insufficientBuyingPower", …}\`.
\`code\` and the HTTP status are what programs should look at. \`reason\` is our own word and finer than the code.
\`{word}\` in a message stands for a value; further fields stand beside the message, as text. The answer's
\`X-Request-ID\` leads to the log line of the request. 503 always means: not applied, try again.

${table(
  ['Status', 'Code', 'Reason', 'Message', 'Further fields', 'When'],
  Object.entries<ErrorRow>(errors).map(([name, row]) => [
    String(row.status),
    row.word === undefined ? String(row.code) : code(row.word),
    code(name),
    row.message === '{problem}' ? '(names the field)' : code(row.message),
    Object.keys(row.fields ?? {})
      .map(code)
      .join(', '),
    row.when,
  ]),
)}

## Under /oauth

What apps call under \`/oauth\` answers errors as OAuth 2.0 says,
\`{"error": "invalid_grant", "error_description": "…"}\`, with
\`code\` and \`message\` beside them. So does what partners' programs call under \`/v1/oauth2\`, with \`fields\`
where something of the request or of an assertion is meant: \`{"error": "token_claim", "fields": [{"name": "aud"}]}\`.

${table(
  ['Status', 'Code', 'Error', 'Description', 'When'],
  Object.entries<OAuthErrorRow>(oauthErrors).map(([name, row]) => [
    String(row.status),
    String(row.code),
    code(name),
    row.description,
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
