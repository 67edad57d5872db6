import { type OAuthErrorName, oauthErrorResponse } from '@quipu/contract'
import { RefusedAs } from '../../wire/refusal.ts'

type ErrorDetails = {
  readonly description?: string
  /** The wrong fields of the request or of the assertion. */
  readonly fields?: readonly string[]
  readonly headers?: readonly string[]
}

/** An error of the machine token endpoints: an RFC 6749 error with the names of the wrong fields. */
export function machineError(
  error: OAuthErrorName,
  { description, fields = [], headers = [] }: ErrorDetails = {},
): RefusedAs {
  const { status, body } = oauthErrorResponse(error, description)
  const named = fields.length > 0 ? { fields: fields.map((name) => ({ name })) } : {}
  return new RefusedAs(status, { ...body, ...named }, headers)
}
