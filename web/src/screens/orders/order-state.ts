import { effect, signal } from '@preact/signals'
import type { WireOrder as Order, Output } from '@quipu/sdk'
import { current } from '../../live/current.ts'
import { oneAtATime } from '../../live/one-at-a-time.ts'
import { place } from '../../router.ts'
import { worldName } from '../../session/selection.ts'

export type Explanation = Output<'explainOrder'>
export type Step = Explanation['steps'][number]
export type Frame = Output<'listFrames'>['frames'][number]
export type Posting = Output<'listPostings'>['postings'][number]

/** Everything about the order on screen. */
export type OrderState = {
  readonly order: Order
  readonly explanation: Explanation
  readonly frames: readonly Frame[]
  readonly postings: readonly Posting[]
}

export const shown = signal<OrderState | undefined>(undefined)
export const shownProblem = signal<Error | undefined>(undefined)

/** Reads the order of the address, and again with each of its updates. Returns a function that ends it. */
export function followOrder(): () => void {
  return effect(() => {
    const [live, id] = [current.value, place.value.item]
    shown.value = undefined
    shownProblem.value = undefined
    if (!live || id === undefined) return undefined
    const closing = new AbortController()
    const readLatest = oneAtATime(() => read(id, closing.signal))
    readLatest()
    const end = live.store.orderStream.follow({
      take: (updates) => {
        if (updates.some(({ order }) => order.id === id)) readLatest()
      },
      readAgain: readLatest,
    })
    return () => {
      closing.abort()
      end()
    }
  })
}

/** Reads the order on screen again. */
export function readAgain(): void {
  const id = place.peek().item
  if (id !== undefined) void read(id, new AbortController().signal)
}

async function read(id: string, signal: AbortSignal): Promise<void> {
  const live = current.peek()
  if (!live) return
  const { client } = live.store.connection
  const world = worldName.peek()
  const options = { signal }
  try {
    const [order, explanation, { frames }, { postings }] = await Promise.all([
      client.getOrder({ params: { order_id: id }, query: { nested: true } }, options),
      client.explainOrder({ params: { world, order_id: id } }, options),
      client.listFrames({ params: { world }, query: { order_id: id } }, options),
      client.listPostings({ params: { world }, query: { order_id: id, limit: 200 } }, options),
    ])
    shown.value = { order, explanation, frames, postings }
    shownProblem.value = undefined
  } catch (error) {
    if (!signal.aborted) shownProblem.value = error as Error
  }
}
