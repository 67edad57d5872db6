import { batch, computed, effect, signal } from '@preact/signals'
import { ApiError, type WireOrder as Order, type Output, UnknownOutcomeError } from '@quipu/sdk'
import { advances, clock } from '../live/clock.ts'
import { current } from '../live/current.ts'
import type { Connection } from '../session/connections.ts'
import { api } from '../session/selection.ts'
import { noteRecentSymbol } from './recent-symbols.ts'
import type { Refusal } from './refusal-text.ts'
import { bodyOf, fields } from './ticket-fields.ts'
import { ticketOrder, ticketProblem } from './ticket-size.ts'

export type Preview = Output<'previewOrder'>

/**
 * What became of the last order:
 * sending: the response is not there yet; placed: the order as it is now, followed to its end; refused: by the server;
 * uncertain: the response was lost, and the order is looked up by its client id; missing: no such order exists.
 */
export type Sending =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'sending'
      readonly clientOrderId: string
      /** `Buy 2 KO, market` */
      readonly what: string
      readonly sinceMs: number
    }
  | { readonly kind: 'placed'; readonly order: Order; readonly wasLost: boolean }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly requestId: string | undefined }
  | { readonly kind: 'uncertain' | 'missing'; readonly clientOrderId: string }

/** The state belongs to the account that the order was sent for. */
const last = signal<{ readonly connection: Connection | undefined; readonly state: Sending }>({
  connection: undefined,
  state: { kind: 'idle' },
})
const idle: Sending = { kind: 'idle' }
export const sending = computed<Sending>(() =>
  last.value.connection === api.value ? last.value.state : idle,
)

export const setSending = (state: Sending, connection = api.peek()): void => {
  last.value = { connection, state }
}

export const preview = signal<Preview | undefined>(undefined)
/** The preview belongs to other fields than those on screen. */
export const isPreviewing = signal(false)
export const previewProblem = signal<string | undefined>(undefined)

const AFTER_TYPING_MS = 120
const AFTER_QUOTE_MS = 1500

/** The body of the order as text; a quote changes it only if it changes the size. */
const wanted = computed(() =>
  api.value === undefined || ticketProblem.value ? undefined : JSON.stringify(bodyOf(ticketOrder.value)),
)

/**
 * Previews the order while the viewer types, and again when the account, its orders, the clock or the quote change.
 * Returns a function that ends it.
 */
export function followPreview(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueMs = 0
  const cancel = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  const readAfter = (ms: number): void => {
    cancel()
    dueMs = performance.now() + ms
    timer = setTimeout(() => {
      timer = undefined
      void readPreview()
    }, ms)
  }
  /** Changes come many times a second; a read that is planned covers the next ones. */
  const readWithin = (ms: number): void => {
    if (wanted.peek() === undefined) return
    if (timer === undefined || dueMs > performance.now() + ms) readAfter(ms)
  }
  const ends = [
    effect(() => {
      void api.value
      isPreviewing.value = wanted.value !== undefined
      if (wanted.value !== undefined) return readAfter(AFTER_TYPING_MS)
      cancel()
      preview.value = undefined
      previewProblem.value = undefined
    }),
    effect(() => {
      void accountChanges.value
      readWithin(AFTER_TYPING_MS)
    }),
    effect(() => {
      const { symbol } = fields.value
      const quote = symbol === '' ? undefined : current.value?.market.state(symbol).quote.value
      // Buying power moves with every price.
      const account = current.value?.store.account.value
      if (quote || account) readWithin(AFTER_QUOTE_MS)
    }),
    cancel,
  ]
  return () => {
    for (const end of ends) end()
  }
}

const speed = computed(() => clock.value?.speed)

/** A new value whenever orders, fills or transfers changed the account, or the course of time changed. */
const accountChanges = computed(() => {
  const store = current.value?.store
  return [store?.activities.value, store?.openOrders.value, advances.value, speed.value]
})

let reads = 0

async function readPreview(): Promise<void> {
  const body = wanted.peek()
  const connection = api.peek()
  if (!connection || body === undefined) return
  reads += 1
  const read = reads
  const isOver = () => read !== reads || wanted.peek() !== body || api.peek() !== connection
  const [found, problem] = await connection.client.previewOrder({ body: JSON.parse(body) }).then(
    (response) => [response, undefined] as const,
    (error: Error) => [undefined, error.message] as const,
  )
  if (isOver()) return
  batch(() => {
    preview.value = found
    previewProblem.value = problem
    isPreviewing.value = false
  })
}

/** Sends the order once. A lost response is looked up by the client order id; the order is never sent again. */
export async function sendOrder(what: string): Promise<void> {
  const connection = api.peek()
  if (!connection || sending.peek().kind === 'sending' || ticketProblem.peek()) return
  const clientOrderId = `web-${crypto.randomUUID().slice(0, 13)}`
  const body = { ...bodyOf(ticketOrder.peek()), client_order_id: clientOrderId }
  setSending({ kind: 'sending', clientOrderId, what, sinceMs: Date.now() }, connection)
  if (body.symbol) noteRecentSymbol(body.symbol)
  let outcome: Sending
  try {
    const { output: order, report } = await connection.quipu.write('placeOrder', { body }, { repetitions: 0 })
    outcome = { kind: 'placed', order, wasLost: report.outcome !== 'confirmed' }
  } catch (error) {
    outcome = outcomeOf(error as Error, clientOrderId)
  }
  const { state, connection: sender } = last.peek()
  // Updates of the stream may be newer than the response.
  const isFollowed = state.kind === 'placed' && state.order.client_order_id === clientOrderId
  if (sender !== connection || isFollowed) return
  setSending(outcome, connection)
}

function outcomeOf(error: Error, clientOrderId: string): Sending {
  if (error instanceof UnknownOutcomeError) return { kind: 'uncertain', clientOrderId }
  if (!(error instanceof ApiError))
    return { kind: 'refused', refusal: { message: error.message }, requestId: undefined }
  const body = typeof error.body === 'object' ? error.body : {}
  const refusal = { ...body, message: error.message, reason: error.reason, code: error.code }
  return { kind: 'refused', refusal, requestId: error.requestId }
}
