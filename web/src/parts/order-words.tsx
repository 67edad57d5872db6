import type { JSX } from 'preact'
import type { StatusText } from '../format/orders.ts'

/** Buy is filled, sell is outlined; neither has a colour of gain or loss. */
export const Side = ({ side }: { readonly side: string }): JSX.Element => (
  <span class={`side ${side === 'buy' ? 'buy' : 'sell'}`}>{side === 'buy' ? 'Buy' : 'Sell'}</span>
)

/** A status: a shape and a word. The word of the API is in the tooltip. */
export const Status = ({ word, shape, api }: StatusText & { readonly api: string }): JSX.Element => (
  <span class={`status ${shape}`} title={api}>
    {word}
  </span>
)
