export const timesInForce = ['day', 'gtc', 'opg', 'cls', 'ioc', 'fok'] as const
type TimeInForceName = (typeof timesInForce)[number]

/** A price of an order. A trail is `trail_price` or `trail_percent`. */
export type OrderPrice = 'limit_price' | 'stop_price' | 'trail'

type OrderTypeRow = {
  readonly label: string
  /** Prices that an order of this type needs; it has no others. */
  readonly prices: readonly OrderPrice[]
  /** Times in force for whole shares. */
  readonly times: readonly TimeInForceName[]
  readonly extendedHours: boolean
}

/** The values of `type` of an order. A type with more prices comes after those with fewer. */
export const orderTypes = {
  market: { label: 'Market', prices: [], times: timesInForce, extendedHours: false },
  limit: { label: 'Limit', prices: ['limit_price'], times: timesInForce, extendedHours: true },
  stop: { label: 'Stop', prices: ['stop_price'], times: ['day', 'gtc'], extendedHours: false },
  stop_limit: {
    label: 'Stop limit',
    prices: ['stop_price', 'limit_price'],
    times: ['day', 'gtc'],
    extendedHours: false,
  },
  trailing_stop: { label: 'Trailing stop', prices: ['trail'], times: ['day', 'gtc'], extendedHours: false },
} as const satisfies Readonly<Record<string, OrderTypeRow>>
export type OrderType = keyof typeof orderTypes

// The SDK does not use the names, and its bundler then omits the table.
export const orderTypeNames = /* @__PURE__ */ Object.keys(orderTypes) as readonly OrderType[]

/** The prices of an order type; none for the empty type of a multi-leg order. */
export const pricesOfType = (type: OrderType | ''): readonly OrderPrice[] =>
  type === '' ? [] : orderTypes[type].prices

/** The type of an order with these prices: the last one that needs no other price. */
export const orderTypeWith = (hasPrice: (price: OrderPrice) => boolean): OrderType =>
  orderTypeNames.findLast((type) => pricesOfType(type).every(hasPrice))!
