import assert from 'node:assert/strict'

// What the checker knows of the broker's rules, in its own words and arithmetic.

const NANO = 1_000_000_000n
const CENT = 10_000_000n

const up = (value: bigint, by: bigint): bigint => (value + by - 1n) / by

/** Whole cents that so many shares cost or bring. */
export const cents = (price: bigint, quantity: bigint, side: 'buy' | 'sell'): bigint =>
  (side === 'buy' ? up(price * quantity, NANO * CENT) : (price * quantity) / (NANO * CENT)) * CENT

export type Holding = { readonly quantity: bigint; readonly mark: bigint }

/** What an account may still spend: four times what is not needed to keep its shares, or twice what is not to buy them. */
export function buyingPower(cash: bigint, holdings: readonly Holding[], held: bigint): bigint {
  let long = 0n
  let keep = 0n
  for (const { quantity, mark } of holdings) {
    const value = (mark * quantity) / NANO
    const perShare = (value * NANO) / quantity
    const percent = perShare < (5n * NANO) / 2n ? 100n : perShare <= 6n * NANO ? 50n : 30n
    long += value
    keep += up(value * percent, 100n)
  }
  const equity = cash + long
  const positive = (amount: bigint) => (amount > 0n ? amount : 0n)
  const overnight = 2n * positive(equity - up(long, 2n))
  const byDay = 4n * positive(equity - keep)
  const margin = byDay > overnight ? byDay : overnight
  return positive((equity >= 2_000n * NANO ? margin : positive(cash)) - held)
}

const newYork = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  weekday: 'short',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** What a clock on a wall in New York shows. */
export function clockInNewYork(at: bigint): {
  readonly date: string
  readonly weekday: string
  readonly minute: number
} {
  const parts = newYork.formatToParts(Number(at / 1_000_000n))
  const of = Object.fromEntries(parts.map(({ type, value }) => [type, value]))
  return {
    date: `${of['year']}-${of['month']}-${of['day']}`,
    weekday: of['weekday']!,
    minute: Number(of['hour']) * 60 + Number(of['minute']),
  }
}

/** In New York hours nothing trades outside these minutes, nor on a weekend. */
export function assertTradingTime(at: bigint, isExtended: boolean): void {
  const { weekday, minute } = clockInNewYork(at)
  const [open, close] = isExtended ? [4 * 60, 20 * 60] : [9 * 60 + 30, 16 * 60]
  assert(!/^S/.test(weekday) && minute >= open && minute < close, `a fill on ${weekday}, minute ${minute}`)
}
