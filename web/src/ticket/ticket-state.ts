import { batch, effect, signal } from '@preact/signals'
import { ApiError, type Order, type Output, UnknownOutcomeError } from '@quipu/sdk'
import { current } from '../live/current.ts'
import { api } from '../session/selection.ts'
import type { Refusal } from './refusal-text.ts'
import { bodyOf, fields, problemOf } from './ticket-fields.ts'

export type Preview = Output<'previewOrder'>

/** What the ticket is doing. */
export type Sending =
  | { readonly kind: 'idle' }
  | { readonly kind: 'sending'; readonly clientOrderId: string; readonly sinceMs: number }
  | { readonly kind: 'accepted'; readonly order: Order }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly requestId: string | undefined }
  | { readonly kind: 'uncertain'; readonly clientOrderId: string }

export const sending = signal<Sending>({ kind: 'idle' })
export const preview = signal<Preview | undefined>(undefined)
/** The preview belongs to other fields than those on screen. */
export const isPreviewing = signal(false)
export const previewProblem = signal<string | undefined>(undefined)

const AFTER_TYPING_MS = 120
const AFTER_QUOTE_MS = 1500

/** Previews the order while the viewer types, and again when the quote moves. Returns a function that ends it. */
export function followPreview(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const readAfter = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      timer = undefined
      void readPreview()
    }, ms)
  }
  const endTyping = effect(() => {
    const isComplete = api.value !== undefined && problemOf(fields.value) === undefined
    isPreviewing.value = isComplete
    if (isComplete) return readAfter(AFTER_TYPING_MS)
    clearTimeout(timer)
    preview.value = undefined
    previewProblem.value = undefined
  })
  const endQuotes = effect(() => {
    const { symbol } = fields.value
    const quote = symbol === '' ? undefined : current.value?.market.state(symbol).quote.value
    // Quotes come many times a second; a read that is planned covers the next ones.
    if (quote && timer === undefined && preview.peek()) readAfter(AFTER_QUOTE_MS)
  })
  return () => {
    clearTimeout(timer)
    endTyping()
    endQuotes()
  }
}

async function readPreview(): Promise<void> {
  const ticket = fields.peek()
  const connection = api.peek()
  if (!connection || problemOf(ticket)) return
  try {
    const read = await connection.client.previewOrder({ body: bodyOf(ticket) })
    if (fields.peek() !== ticket) return
    batch(() => {
      preview.value = read
      previewProblem.value = undefined
      isPreviewing.value = false
    })
  } catch (error) {
    if (fields.peek() !== ticket) return
    batch(() => {
      preview.value = undefined
      previewProblem.value = (error as Error).message
      isPreviewing.value = false
    })
  }
}

/** Sends the order. A lost response is looked up by the client order id; the order is never sent twice blindly. */
export async function sendOrder(): Promise<void> {
  const connection = api.peek()
  if (!connection || sending.peek().kind === 'sending' || problemOf(fields.peek())) return
  const clientOrderId = `web-${crypto.randomUUID().slice(0, 13)}`
  sending.value = { kind: 'sending', clientOrderId, sinceMs: Date.now() }
  try {
    const body = { ...bodyOf(fields.peek()), client_order_id: clientOrderId }
    const order = await connection.quipu.orders.place(body)
    sending.value = { kind: 'accepted', order }
  } catch (error) {
    sending.value = outcomeOf(error as Error, clientOrderId)
  }
}

function outcomeOf(error: Error, clientOrderId: string): Sending {
  if (error instanceof UnknownOutcomeError) return { kind: 'uncertain', clientOrderId }
  if (!(error instanceof ApiError))
    return { kind: 'refused', refusal: { message: error.message }, requestId: undefined }
  const body = typeof error.body === 'object' ? error.body : {}
  const refusal = { ...body, message: error.message, reason: error.reason, code: error.code }
  return { kind: 'refused', refusal, requestId: error.requestId }
}
