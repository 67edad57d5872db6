import type { Call, CallOptions, Client, OperationName, Output } from '../contract.ts'
import { type Transport, transportOf } from '../send.ts'
import { newId } from './new-id.ts'
import { orderCancel, orderPlacement, orderReplacement } from './order-writes.ts'
import { type SafeWrite, safeWrite, type WriteOptions, type Written } from './safe-write.ts'

/** The operations that take an idempotency key. */
type KeyedName = {
  readonly [Name in OperationName]: Call<Name> extends { readonly headers?: infer Headers }
    ? 'idempotency-key' extends keyof NonNullable<Headers>
      ? Name
      : never
    : never
}[OperationName]

/** The operations that move money, shares, coins or tokens, or change an order. */
export type WriteName = KeyedName | `${'cancel' | 'replace'}Order${'' | 'ForAccount'}`

/** Sends calls safely with one client: see `write`. */
export type Write = <Name extends WriteName>(
  name: Name,
  call: Call<Name>,
  options?: WriteOptions,
) => Promise<Written<Output<Name>>>

/**
 * Executes a call that moves money, shares, coins or tokens at most once, and reports what happened. After a lost response
 * it looks the result up, and sends the same call with the same key again.
 *
 *   const { output, report } = await write(partner, 'createTransfer', { params, body })
 */
export const write = <Name extends WriteName>(
  client: Client,
  name: Name,
  call: Call<Name>,
  options: WriteOptions = {},
): Promise<Written<Output<Name>>> => createWrite(client, transportOf({}))(name, call, options)

export const createWrite =
  (client: Client, transport: Transport): Write =>
  (name, call, options = {}) => {
    const made = (looked[name] ?? keyed(name))(client, call as never, options)
    return safeWrite(made as SafeWrite<never>, options, transport)
  }

type Maker = (client: Client, call: never, options: WriteOptions) => SafeWrite<unknown>

type Method = (call: AnyCall, options: CallOptions) => Promise<unknown>
type AnyCall = { readonly headers?: Readonly<Record<string, unknown>>; readonly body?: object }

/** The server executes a key once, and answers a repetition with its first response. */
const keyed = (name: WriteName) => (client: Client, call: AnyCall, options: WriteOptions) => {
  const { idempotencyKey: key = newId() } = options
  const method = client[name] as unknown as Method
  const headers = { ...call.headers, 'idempotency-key': key }
  const send = () => method({ ...call, headers }, options)
  return { key, keyKind: 'idempotencyKey', lookUpMs: 0, send } as const
}

/** The label is the caller's. Without one, the key is the label too, so that the request can be looked up. */
function mint(client: Client, call: Call<'postTokenizationMint'>, options: WriteOptions): SafeWrite<unknown> {
  const { idempotencyKey = newId(), signal } = options
  const hasLabel = Boolean(call.body.client_request_id)
  const body = hasLabel ? call.body : { ...call.body, client_request_id: idempotencyKey }
  const plain = keyed('postTokenizationMint')(client, { ...call, body }, { ...options, idempotencyKey })
  if (hasLabel) return plain
  const query = { client_request_id: idempotencyKey }
  // The repetition reports the problem of a look-up that failed.
  const lookUp = () =>
    client.getTokenizationRequestByClientRequestID({ query }, { signal }).then(
      (output) => ({ output }),
      () => undefined,
    )
  return { ...plain, lookUp }
}

/** The operations whose result can be looked up. */
const looked: { readonly [Name in WriteName]?: Maker } = {
  placeOrder: orderPlacement(''),
  placeOrderForAccount: orderPlacement('ForAccount'),
  replaceOrder: orderReplacement(''),
  replaceOrderForAccount: orderReplacement('ForAccount'),
  cancelOrder: orderCancel(''),
  cancelOrderForAccount: orderCancel('ForAccount'),
  postTokenizationMint: mint,
}
