import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import {
  fractionLength,
  gainText,
  moneyText,
  percentText,
  priceText,
  quantityText,
  UNKNOWN,
} from '../format/amounts.ts'
import { type Decimal, decimal, signOf } from '../format/decimal.ts'
import { inLaterFrame } from '../live/frames.ts'

type Shown = string | Decimal | null | undefined

type NumberProps = {
  readonly value: Shown
  /** Why the value is not known. */
  readonly unknown?: string
  readonly stale?: boolean
  /** How many places the widest value in the column has. */
  readonly align?: number
  readonly class?: string
  /** What the number is, as its path in the account snapshot: `account.equity`, `position.AAPL.market_value`. */
  readonly of?: string | undefined
}

const formatted =
  (format: (value: string | Decimal) => string) =>
  ({ value, unknown, stale, align, of, class: extra = '' }: NumberProps): JSX.Element => {
    const flash = useFlash(value)
    if (value == null)
      return (
        <span class="n" title={unknown}>
          {UNKNOWN}
        </span>
      )
    const text = format(value)
    const missing = align === undefined ? 0 : align - fractionLength(text)
    return (
      <span ref={flash} class={`n ${stale ? 'stale' : ''} ${extra}`} data-number={of}>
        {text}
        {missing > 0 && <i>{`${fractionLength(text) === 0 ? '.' : ''}${'0'.repeat(missing)}`}</i>}
      </span>
    )
  }

/** An exact amount of money. */
export const Money = formatted(moneyText)
export const Price = formatted(priceText)
export const Quantity = formatted(quantityText)

/** A gain or a loss: always with a sign, so that the colour is not the only signal. */
export function Gain({ value, percent, ...rest }: NumberProps & { readonly percent?: boolean }): JSX.Element {
  const flash = useFlash(value)
  if (value == null)
    return (
      <span class="n" title={rest.unknown}>
        {UNKNOWN}
      </span>
    )
  const sign = signOf(typeof value === 'string' ? decimal(value) : value)
  const colour = rest.stale ? 'stale' : sign > 0 ? 'up' : sign < 0 ? 'down' : ''
  return (
    <span ref={flash} class={`n ${colour} ${rest.class ?? ''}`} data-number={rest.of}>
      {percent ? percentText(value) : gainText(value)}
    </span>
  )
}

/** The third snapshot after the change comes 675 ms after it, and its frame ends the tint. */
const FLASH_MS = 600

/** Tints a number for a moment when it changes. An animation of the colour would paint the page in every frame. */
function useFlash(value: Shown) {
  const element = useRef<HTMLSpanElement>(null)
  const last = useRef<string | undefined>(undefined)
  const text = value == null ? undefined : typeof value === 'string' ? value : String(value.units)
  // In the frame that draws the number: an effect would draw the tint in another frame.
  useLayoutEffect(() => {
    const before = last.current
    last.current = text
    const span = element.current
    if (before === undefined || text === undefined || before === text || !span) return undefined
    const rises = Number(text) > Number(before)
    span.classList.toggle('flash-up', rises)
    span.classList.toggle('flash-down', !rises)
    let isLast = true
    const end = () => isLast && span.classList.remove('flash-up', 'flash-down')
    const timer = setTimeout(() => inLaterFrame(end), FLASH_MS)
    return () => {
      isLast = false
      clearTimeout(timer)
    }
  }, [text])
  return element
}
