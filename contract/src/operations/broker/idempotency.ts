import { record, strictlyOptional } from '../../shape/index.ts'
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

const withKey = record({
  'idempotency-key': strictlyOptional(idempotencyKey).about(
    'A repeated request with the same key and body gets the first response, within 24 hours of the world.',
  ),
})
const withoutKey = Object.freeze({})

/** A request with the same key is executed once. Without a key, this costs one lookup. */
export const keyHeader: typeof withKey = {
  ...withKey,
  parse: (headers, path, problems) =>
    typeof headers === 'object' && headers !== null && !('idempotency-key' in headers)
      ? withoutKey
      : withKey.parse(headers, path, problems),
}

/** Errors of an Idempotency-Key. */
export const keyErrors = ['idempotencyKeyMalformed', 'idempotencyKeyTooLong', 'idempotencyKeyReused'] as const
