import { type ErrorName, type ErrorRow, errors, type OAuthErrorName, oauthErrors } from './errors.table.ts'
import type { Family } from './operation.ts'
import type { Problem } from './shape/index.ts'

/** An error body as it goes out: the catalogue's integer code, its message, its numbers, and our own word. */
export type ErrorBody = {
  readonly code: number
  readonly message: string
  readonly reason: ErrorName
  readonly [field: string]: unknown
}

export type Refusal = { readonly [word: string]: unknown }

/** The answer to a refusal: its status and its body, filled from the refusal's own words. */
export function errorAnswer(
  name: ErrorName,
  refusal: Refusal = {},
): { readonly status: number; readonly body: ErrorBody } {
  const row: ErrorRow = errors[name]
  const body: Record<string, unknown> = {
    code: row.code,
    message: filled(row.message, refusal),
    reason: name,
  }
  for (const [field, word] of Object.entries(row.fields ?? {})) {
    if (refusal[word] !== undefined) body[field] = String(refusal[word])
  }
  return { status: row.status, body: body as ErrorBody }
}

/** The same as it is sent: a few parts of the protocol want a word for a code. */
export function sentAnswer(
  name: ErrorName,
  refusal: Refusal = {},
): { readonly status: number; readonly body: ErrorBody | WordedBody } {
  const { status, body } = errorAnswer(name, refusal)
  const { word }: ErrorRow = errors[name]
  return { status, body: word === undefined ? body : { ...body, code: word } }
}

export type WordedBody = {
  readonly code: string
  readonly message: string
  readonly reason: ErrorName
  readonly [field: string]: unknown
}

/** The same for the public token endpoint: what RFC 6749 asks for, and what every error here has. */
export function oauthErrorAnswer(
  error: OAuthErrorName,
  description: string = oauthErrors[error].description,
): { readonly status: number; readonly body: OAuthErrorBody } {
  const { status, code } = oauthErrors[error]
  return { status, body: { error, error_description: description, code, message: description } }
}

/** Any other refusal where apps expect errors of that standard: its nearest word stands beside what every error has. */
export const asOAuthError = <Body extends ErrorBody | WordedBody>(status: number, body: Body) => ({
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

const filled = (message: string, refusal: Refusal): string =>
  message.replace(/\{(\w+)\}/g, (_, word: string) => String(refusal[word] ?? ''))

/** Which row of the catalogue answers parameter problems in a family. */
export const parameterError = {
  trading: 'invalidParameter',
  data: 'invalidDataParameter',
  broker: 'invalidParameter',
  oauth: 'invalidParameter',
  tokenization: 'invalidTokenizationParameter',
  sim: 'invalidParameter',
  system: 'invalidParameter',
} as const satisfies Record<Family, ErrorName>

/** The answer to parameter problems: tokenization tells all of them, the others the first. */
export function problemAnswer(
  family: Family,
  problems: readonly Problem[],
): { readonly status: number; readonly body: ErrorBody | WordedBody | OAuthErrorBody } {
  if (family === 'oauth') return oauthErrorAnswer('invalid_request', problems[0]?.message)
  const special = problems.find(({ error }) => error !== undefined)
  if (special !== undefined) return sentAnswer(special.error as ErrorName, { problem: special.message })
  const told = family === 'tokenization' ? problems : problems.slice(0, 1)
  return errorAnswer(parameterError[family], { problem: told.map(({ message }) => message).join(', ') })
}
