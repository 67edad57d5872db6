import type { CallOptions, Client, ResponseInfo } from './contract.ts'
import { ApiError, NetworkError } from './errors.ts'

/** Whether URL and credential work. Without a status the server cannot be reached. */
export type ConnectionCheck = {
  readonly ok: boolean
  readonly status?: number | undefined
  readonly message: string
  readonly requestId?: string | undefined
}

export async function validateConnection(client: Client, options?: CallOptions): Promise<ConnectionCheck> {
  try {
    const { account_number: account } = await client.getAccount({}, options)
    return { ok: true, status: 200, message: `connected to account ${account}` }
  } catch (error) {
    if (error instanceof ApiError) {
      const { status, message, requestId } = error
      return { ok: false, status, message, requestId }
    }
    if (error instanceof NetworkError) return { ok: false, message: error.message }
    throw error
  }
}

/** The budget of requests as the server counts it. */
export type RateLimitState = {
  readonly limit: number
  readonly remaining: number
  /** When the budget is full again, in milliseconds since 1970. */
  readonly resetMs: number
}

export type WithResponse<Data> = ResponseInfo & {
  readonly data: Data
  readonly requestId: string | undefined
  readonly rateLimit: RateLimitState | undefined
}

/**
 * The result of a call with status and headers of its last response.
 *
 *   const { data, headers, rateLimit } = await withResponse((options) => client.getAccount({}, options))
 */
export async function withResponse<Data>(
  call: (options: CallOptions) => Promise<Data>,
): Promise<WithResponse<Data>> {
  let response: ResponseInfo = { status: 0, headers: new Headers() }
  const data = await call({
    onResponse(received) {
      response = received
    },
  })
  const { headers } = response
  const numberOf = (name: string): number => Number(headers.get(`x-ratelimit-${name}`))
  const rateLimit = headers.has('x-ratelimit-limit')
    ? { limit: numberOf('limit'), remaining: numberOf('remaining'), resetMs: numberOf('reset') * 1000 }
    : undefined
  return { ...response, data, requestId: headers.get('x-request-id') ?? undefined, rateLimit }
}
