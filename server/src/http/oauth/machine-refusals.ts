import { type OAuthErrorName, oauthErrorAnswer } from '@quipu/contract'
import { RefusedAs } from '../../wire/refusal.ts'

type Told = {
  readonly description?: string
  /** What of the request, or of the assertion, is meant. */
  readonly fields?: readonly string[]
  readonly headers?: readonly string[]
}

/** An error of the machines' endpoints: the standard's, with the names of what is wrong. */
export function machineRefused(
  error: OAuthErrorName,
  { description, fields = [], headers = [] }: Told = {},
): RefusedAs {
  const { status, body } = oauthErrorAnswer(error, description)
  const named = fields.length > 0 ? { fields: fields.map((name) => ({ name })) } : {}
  return new RefusedAs(status, { ...body, ...named }, headers)
}
