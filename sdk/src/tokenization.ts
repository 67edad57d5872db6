import type { Call, CallOptions, Client, Output } from './contract.ts'
import { type OnceOptions, repeatCall } from './once.ts'
import { randomId } from './random-id.ts'
import { pause, type Transport } from './send.ts'

export type TokenizationRequestRecord = Output<'getTokenizationRequest'>
type MintedRequest = Output<'postTokenizationMint'>

export type MintOptions = OnceOptions

/**
 * What happened to a mint:
 * requested: the server confirmed it; found: the response was lost, and the request was found by its label;
 * requested again: the response was lost, and the server answered the next attempt with the same idempotency key.
 */
export type MintPlacement = {
  readonly outcome: 'requested' | 'found' | 'requested again'
  readonly idempotencyKey: string
  /** Number of times that the mint was sent. */
  readonly attempts: number
  /** Number of times that the mint was looked up. */
  readonly lookUps: number
}

export type PlacedMint = MintedRequest & { readonly placement: MintPlacement }

/** Tokenized shares of the account. */
export type Tokenization = {
  /**
   * Mints tokens from shares, at most once per idempotency key: after a lost response it sends the same key again. The
   * label `client_request_id` need not be unique.
   */
  readonly mint: (request: Call<'postTokenizationMint'>['body'], options?: MintOptions) => Promise<PlacedMint>
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

export function createTokenization(client: Client, transport: Transport): Tokenization {
  const get: Tokenization['get'] = (tokenization_request_id, options) =>
    client.getTokenizationRequest({ params: { tokenization_request_id } }, options)
  return {
    mint: (request, options = {}) => mint(client, transport, request, options),
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

/** The label is the caller's. Without one, the key is the label too, so that the request can be looked up. */
async function mint(
  client: Client,
  transport: Transport,
  request: Call<'postTokenizationMint'>['body'],
  options: MintOptions,
): Promise<PlacedMint> {
  const { idempotencyKey = randomId(), signal } = options
  const { client_request_id: label } = request
  const body = label ? request : { ...request, client_request_id: idempotencyKey }
  let lookUps = 0
  const lookUp = async (): Promise<MintedRequest | undefined> => {
    if (label) return undefined
    lookUps += 1
    const query = { client_request_id: idempotencyKey }
    return client.getTokenizationRequestByClientRequestID({ query }, { signal })
  }
  const { output, attempts, isFound } = await repeatCall<MintedRequest>(
    (headers) => client.postTokenizationMint({ body, headers }, { signal }),
    { ...options, idempotencyKey },
    transport,
    lookUp,
  )
  const outcome = isFound ? 'found' : attempts === 1 ? 'requested' : 'requested again'
  return { ...output, placement: { outcome, idempotencyKey, attempts, lookUps } }
}
