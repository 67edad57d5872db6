// Rules for fees, implemented without code of the core.

const NANO = 1_000_000_000n
const CENT = 10_000_000n

const up = (value: bigint, by: bigint): bigint => (value + by - 1n) / by
export const centsUp = (amount: bigint): bigint => up(amount, CENT) * CENT

export type Fees = { sec: bigint; taf: bigint; cat: bigint }
export const noFees = (): Fees => ({ sec: 0n, taf: 0n, cat: 0n })

/** SEC fee per million dollars, TAF per share with its maximum, and CAT fee per share, all in billionths. */
function ratesOn(date: string): { million: bigint; share: bigint; most: bigint; audit: bigint } {
  const million = date >= '2026-04-04' ? 20_600_000_000n : 0n
  if (date < '2026-01-01') return { million, share: 166_000n, most: 830n * CENT, audit: 22_000n }
  const isPaused = date >= '2026-10-01' && date < '2027-01-01'
  return { million, share: isPaused ? 0n : 195_000n, most: 979n * CENT, audit: 3_000n }
}

/** Regulatory fees of a trade in shares. */
export function regulatoryFees(side: 'buy' | 'sell', quantity: bigint, cash: bigint, date: string): Fees {
  const { million, share, most, audit } = ratesOn(date)
  const cat = up(audit * quantity, NANO)
  if (side === 'buy') return { sec: 0n, taf: 0n, cat }
  const taf = up(share * quantity, NANO)
  return { sec: up(cash * million, 1_000_000n * NANO), taf: taf < most ? taf : most, cat }
}

/** The broker fee for crypto: 0.25 % of the received coins, or of the received dollars in whole cents. */
export function cryptoFee(side: 'buy' | 'sell', quantity: bigint, cash: bigint): bigint {
  if (side === 'buy') return up(quantity, 400n)
  const fee = centsUp(up(cash, 400n))
  return fee < cash ? fee : cash
}
