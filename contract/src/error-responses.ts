import { type ErrorName, errors, type OAuthErrorName, oauthErrors } from './errors.table.ts'
import type { Family } from './operation.ts'
import type { Problem } from './shape/index.ts'

/** An error body: integer code, message, reason and further fields from the error table. */
export type ErrorBody = {
  readonly code: number
  readonly message: string
  readonly reason: ErrorName
  readonly [field: string]: unknown
}

export type RefusalResponse = { readonly [name: string]: unknown }

/** The response to a refusal: status and body, filled with the values of the refusal. */
export function errorResponse(
  name: ErrorName,
  refusal: RefusalResponse = {},
): { readonly status: number; readonly body: ErrorBody } {
  const row = errors[name]
  const body: Record<string, unknown> = {
    code: row.code,
    message: filled(row.message, refusal),
    reason: name,
  }
  for (const [field, name] of Object.entries(row.fields ?? {})) {
    if (refusal[name] !== undefined) body[field] = String(refusal[name])
  }
  return { status: row.status, body: body as ErrorBody }
}

/** The response as it is sent: a few operations of the protocol have a text as code. */
export function sentErrorResponse(
  name: ErrorName,
  refusal: RefusalResponse = {},
): { readonly status: number; readonly body: ErrorBody | TextCodeBody } {
  const { status, body } = errorResponse(name, refusal)
  const { textCode } = errors[name]
  return { status, body: textCode === undefined ? body : { ...body, code: textCode } }
}

export type TextCodeBody = {
  readonly code: string
  readonly message: string
  readonly reason: ErrorName
  readonly [field: string]: unknown
}

/** An error of the public token endpoint: the fields of RFC 6749 and the fields of every other error. */
export function oauthErrorResponse(
  error: OAuthErrorName,
  description: string = oauthErrors[error].message,
): { readonly status: number; readonly body: OAuthErrorBody } {
  const { status, code } = oauthErrors[error]
  return { status, body: { error, error_description: description, code, message: description } }
}

/** Any other error on an endpoint of RFC 6749: the nearest error code of the RFC is added to the body. */
export const asOAuthError = <Body extends ErrorBody | TextCodeBody>(status: number, body: Body) => ({
  error:
    status === 429 || status === 503
      ? 'temporarily_unavailable'
      : status >= 500
        ? 'server_error'
        : 'invalid_request',
  error_description: body.message,
  ...body,
})

export type OAuthErrorBody = {
  readonly error: string
  readonly error_description: string
  readonly code: number
  readonly message: string
}

const filled = (message: string, refusal: RefusalResponse): string =>
  message.replace(/\{(\w+)\}/g, (_, name: string) => String(refusal[name] ?? ''))

/** The error of parameter problems, by family. */
export const parameterError = {
  trading: 'invalidParameter',
  data: 'invalidDataParameter',
  broker: 'invalidParameter',
  oauth: 'invalidParameter',
  tokenization: 'invalidTokenizationParameter',
  sim: 'invalidParameter',
  system: 'invalidParameter',
} as const satisfies Record<Family, ErrorName>

/** The response to parameter problems: tokenization lists all of them, the other families the first. */
export function problemResponse(
  family: Family,
  problems: readonly Problem[],
): { readonly status: number; readonly body: ErrorBody | TextCodeBody | OAuthErrorBody } {
  if (family === 'oauth') return oauthErrorResponse('invalid_request', problems[0]?.message)
  const special = problems.find(({ error }) => error !== undefined)
  if (special !== undefined)
    return sentErrorResponse(special.error as ErrorName, { problem: special.message })
  const listed = family === 'tokenization' ? problems : problems.slice(0, 1)
  return errorResponse(parameterError[family], { problem: listed.map(({ message }) => message).join(', ') })
}
