import { keysOf } from '../records.ts'
export const TIMES_IN_FORCE = ['day', 'gtc', 'opg', 'cls', 'ioc', 'fok'] as const
export type TimeInForce = (typeof TIMES_IN_FORCE)[number]
export const GROUP_CLASSES = ['bracket', 'oco', 'oto'] as const
export type GroupClass = (typeof GROUP_CLASSES)[number]

/** A trail is a price or a percentage. */
export type KindPrice = 'limit' | 'stop' | 'trail'
export type ReplaceableField = 'quantity' | 'timeInForce' | KindPrice

/** What an order waits for before it trades: nothing, a trade at its stop, or one at a stop that follows the market. */
const triggers = {
  none: { waits: false, hasFixedStop: false, follows: false },
  stop: { waits: true, hasFixedStop: true, follows: false },
  trail: { waits: true, hasFixedStop: false, follows: true },
} as const

type KindRow = {
  /** The prices that an order of this kind has. */
  readonly prices: readonly KindPrice[]
  readonly trigger: keyof typeof triggers
  /** Times in force for whole shares, and for crypto pairs. Fractions of shares are `day` orders. */
  readonly times: { readonly shares: readonly TimeInForce[]; readonly pairs: readonly TimeInForce[] }
  readonly replaceable: readonly ReplaceableField[]
  /** Groups that may have such an order as their parent. */
  readonly groups: readonly GroupClass[]
  readonly mayBeFractional: boolean
  readonly mayTradeExtended: boolean
  /** The order may be opposite to other orders of its account. */
  readonly isWashExempt: boolean
}

/**
 * The order kinds. A kind with more prices comes after those with fewer. The wire form of a kind is a row of
 * `orderTypes` in the contract, and the build stops while the two tables differ.
 */
export const orderKinds = {
  market: {
    prices: [],
    trigger: 'none',
    times: { shares: TIMES_IN_FORCE, pairs: ['gtc', 'ioc'] },
    replaceable: ['quantity', 'timeInForce'],
    groups: ['bracket', 'oto'],
    mayBeFractional: true,
    mayTradeExtended: false,
    isWashExempt: false,
  },
  limit: {
    prices: ['limit'],
    trigger: 'none',
    times: { shares: TIMES_IN_FORCE, pairs: ['gtc', 'ioc'] },
    replaceable: ['quantity', 'timeInForce', 'limit'],
    groups: GROUP_CLASSES,
    mayBeFractional: true,
    mayTradeExtended: true,
    isWashExempt: false,
  },
  stop: {
    prices: ['stop'],
    trigger: 'stop',
    times: { shares: ['day', 'gtc'], pairs: [] },
    replaceable: ['quantity', 'timeInForce', 'stop'],
    groups: [],
    mayBeFractional: true,
    mayTradeExtended: false,
    isWashExempt: false,
  },
  stopLimit: {
    prices: ['stop', 'limit'],
    trigger: 'stop',
    times: { shares: ['day', 'gtc'], pairs: ['gtc'] },
    replaceable: ['quantity', 'timeInForce', 'limit', 'stop'],
    groups: [],
    mayBeFractional: true,
    mayTradeExtended: false,
    isWashExempt: false,
  },
  trailingStop: {
    prices: ['trail'],
    trigger: 'trail',
    times: { shares: ['day', 'gtc'], pairs: [] },
    replaceable: ['quantity', 'timeInForce', 'trail'],
    groups: [],
    mayBeFractional: false,
    mayTradeExtended: false,
    isWashExempt: true,
  },
} as const satisfies Readonly<Record<string, KindRow>>
export type OrderKind = keyof typeof orderKinds

/** The rules of a kind. */
export const kindRow = (kind: OrderKind): KindRow => orderKinds[kind]

/** The rules of the trigger of a kind. */
export const triggerRow = (kind: OrderKind): (typeof triggers)[keyof typeof triggers] =>
  triggers[orderKinds[kind].trigger]

export const orderKindNames = keysOf(orderKinds)

/** The kind of an order with these prices: the last one that needs no other price. */
export const kindWith = (prices: { readonly [Price in KindPrice]?: unknown }): OrderKind =>
  orderKindNames.findLast((kind) => kindRow(kind).prices.every((price) => prices[price] !== undefined))!
