import { shape } from '../../shape/shape.ts'

/** The trimmed key must be 1 to 128 printable characters without spaces. */
export const idempotencyKey = shape<string, string>({
  parse: (value, path, problems) => {
    const key = typeof value === 'string' ? value.trim() : ''
    if (!/^[\x21-\x7e]{1,128}$/.test(key)) problems.push({ field: path, message: 'malformed' })
    return key
  },
  json: () => ({ type: 'string', minLength: 1, maxLength: 128, pattern: '^[!-~]+$' }),
}).refusedAs('idempotencyKeyMalformed')

/** Errors of an Idempotency-Key. */
export const keyErrors = ['idempotencyKeyMalformed', 'idempotencyKeyTooLong', 'idempotencyKeyReused'] as const
