import { type ErrorName, type ErrorRow, errors } from './errors.table.ts'
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
  for (const field of row.fields ?? []) {
    if (refusal[field] !== undefined) body[field] = String(refusal[field])
  }
  return { status: row.status, body: body as ErrorBody }
}

const filled = (message: string, refusal: Refusal): string =>
  message.replace(/\{(\w+)\}/g, (_, word: string) => String(refusal[word] ?? ''))

/** Which row of the catalogue answers parameter problems in a family. */
export const parameterError = {
  trading: 'invalidParameter',
  data: 'invalidDataParameter',
  broker: 'invalidParameter',
  oauth: 'invalidParameter',
  tokenization: 'invalidParameter',
  sim: 'invalidParameter',
  system: 'invalidParameter',
} as const satisfies Record<Family, ErrorName>

/** The answer to parameter problems: tokenization tells all of them, the others the first. */
export function problemAnswer(
  family: Family,
  problems: readonly Problem[],
): { readonly status: number; readonly body: ErrorBody } {
  const problem =
    family === 'tokenization'
      ? problems.map(({ message }) => message).join(', ')
      : (problems[0]?.message ?? 'invalid parameter')
  return errorAnswer(parameterError[family], { problem })
}
