import type { Call, CallOptions, Client, Output } from './contract.ts'
import { NetworkError } from './errors.ts'
import { randomId } from './random-id.ts'
import { pause } from './send.ts'

export type TokenizationRequestRecord = Output<'getTokenizationRequest'>

/** Tokenized shares of the account. */
export type Tokenization = {
  /** Mints tokens from shares. After a lost response it sends the same idempotency key again, which mints once. */
  readonly mint: (
    request: Call<'postTokenizationMint'>['body'],
    options?: CallOptions,
  ) => Promise<Output<'postTokenizationMint'>>
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
const MINT_ATTEMPTS = 3

export function createTokenization(client: Client): Tokenization {
  const get: Tokenization['get'] = (tokenization_request_id, options) =>
    client.getTokenizationRequest({ params: { tokenization_request_id } }, options)
  return {
    mint: (request, options) => mint(client, request, options),
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

async function mint(
  client: Client,
  request: Call<'postTokenizationMint'>['body'],
  options: CallOptions = {},
): Promise<Output<'postTokenizationMint'>> {
  const id = request.client_request_id || randomId()
  // The server returns the stored response to a repeated idempotency key, so a repetition mints once.
  const call = { body: { ...request, client_request_id: id }, headers: { 'idempotency-key': id } }
  for (let attempt = 1; ; attempt++)
    try {
      return await client.postTokenizationMint(call, options)
    } catch (error) {
      if (!(error instanceof NetworkError) || attempt === MINT_ATTEMPTS) throw error
      await pause(DELAY_MS * 2 ** attempt, options.signal)
    }
}
