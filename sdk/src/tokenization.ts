import type { Call, CallOptions, Client, Output } from './contract.ts'
import { pause } from './send.ts'
import type { WriteOptions, WriteReport } from './write/safe-write.ts'
import type { Write } from './write/write.ts'

export type TokenizationRequestRecord = Output<'getTokenizationRequest'>
type MintedRequest = Output<'postTokenizationMint'>

/** A mint request, and what happened when it was sent. */
export type PlacedMint = MintedRequest & { readonly report: WriteReport }

/** Tokenized shares of the account. */
export type Tokenization = {
  /**
   * Mints tokens from shares, at most once per idempotency key: after a lost response it sends the same key again. The
   * label `client_request_id` need not be unique.
   */
  readonly mint: (
    request: Call<'postTokenizationMint'>['body'],
    options?: WriteOptions,
  ) => Promise<PlacedMint>
  readonly get: (id: string, options?: CallOptions) => Promise<TokenizationRequestRecord>
  readonly byClientRequestId: (id: string, options?: CallOptions) => Promise<TokenizationRequestRecord>
  readonly list: (
    query?: Call<'getTokenizationRequests'>['query'],
    options?: CallOptions,
  ) => Promise<Output<'getTokenizationRequests'>>
  readonly tokens: (
    query?: Call<'getTokenizationTokens'>['query'],
    options?: CallOptions,
  ) => Promise<Output<'getTokenizationTokens'>>
  /** Waits until a request is completed or rejected. Default timeout: 30000 ms. */
  readonly wait: (
    id: string,
    options?: CallOptions & { readonly timeoutMs?: number },
  ) => Promise<TokenizationRequestRecord>
}

const TIMEOUT_MS = 30_000
const DELAY_MS = 50
const DELAY_MAX_MS = 1000

export function createTokenization(client: Client, write: Write): Tokenization {
  const get: Tokenization['get'] = (tokenization_request_id, options) =>
    client.getTokenizationRequest({ params: { tokenization_request_id } }, options)
  return {
    async mint(body, options) {
      const { output, report } = await write('postTokenizationMint', { body }, options)
      return { ...output, report }
    },
    get,
    byClientRequestId: (client_request_id, options) =>
      client.getTokenizationRequestByClientRequestID({ query: { client_request_id } }, options),
    list: (query = {}, options) => client.getTokenizationRequests({ query }, options),
    tokens: (query = {}, options) => client.getTokenizationTokens({ query }, options),
    async wait(id, { timeoutMs = TIMEOUT_MS, signal } = {}) {
      const deadline = Date.now() + timeoutMs
      for (let delay = DELAY_MS; ; delay = Math.min(delay * 2, DELAY_MAX_MS)) {
        const request = await get(id, { signal })
        if (request.status === 'completed' || request.status === 'rejected') return request
        if (Date.now() >= deadline)
          throw new Error(`tokenization request ${id} is ${request.status} after ${timeoutMs} ms`)
        await pause(delay, signal)
      }
    },
  }
}
