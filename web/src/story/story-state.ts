import type { Output } from '@quipu/sdk'
import { operator } from '../session/connections.ts'
import { api, worldName } from '../session/selection.ts'
import { isOperator } from '../session/session.ts'
import type { Figure } from './amount-lines.ts'
import type { Explanation } from './story-lines.ts'

/** The order, or the request that was refused. */
export type Subject = { readonly order: string } | { readonly request: string }
/** A position, or a figure of the account. */
export type AmountSubject = { readonly asset: string } | { readonly figure: Figure }
export type WhatIf = Output<'whatIfOrder'>

const client = () => (isOperator.peek() ? operator() : api.peek())?.client

/** The reasons of an order or a request, with the rights of the viewer. */
export async function explain(subject: Subject, signal: AbortSignal): Promise<Explanation | undefined> {
  const world = worldName.peek()
  return 'order' in subject
    ? client()?.explainOrder({ params: { world, order_id: subject.order } }, { signal })
    : client()?.explainRequest({ params: { world, request_id: subject.request } }, { signal })
}

/** The fills with other limits. Aborting the request stops the computation at the server. */
export async function computeWhatIf(subject: Subject, signal: AbortSignal): Promise<WhatIf | undefined> {
  const world = worldName.peek()
  return 'order' in subject
    ? client()?.whatIfOrder({ params: { world, order_id: subject.order } }, { signal })
    : client()?.whatIfRequest({ params: { world, request_id: subject.request } }, { signal })
}

const ORDERS_MAX = 500

/** The order of the account that traded a symbol last, among its newest orders. */
export async function lastOrderOf(symbol: string, signal: AbortSignal): Promise<string | undefined> {
  const query = { status: 'all', symbols: [symbol], limit: ORDERS_MAX } as const
  const orders = (await api.peek()?.client.listOrders({ query }, { signal })) ?? []
  const traded = orders.filter(({ filled_qty: filled }) => Number(filled) > 0)
  const timeOf = ({ filled_at: filled, updated_at: updated }: (typeof orders)[number]): string =>
    filled ?? updated ?? ''
  return traded.sort((a, b) => timeOf(b).localeCompare(timeOf(a)))[0]?.id
}
