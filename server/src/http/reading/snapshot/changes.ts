import type { AccountSnapshotRecord, SnapshotChanges } from '@quipu/contract'
import { formatInstant, type Order, type OrderId } from '@quipu/core'
import { orderToWire } from '../../../wire/order-wire.ts'
import { accountToWire } from '../../trading/account.ts'
import { positionToWire } from '../../trading/holdings.ts'
import type { Captured } from './capture.ts'
import { type CurvePeriod, DayGain, LiveCurve } from './curve.ts'
import { newestActivities, PreviousCloses, pricesToWire } from './snapshot-wire.ts'

type Changes = Omit<SnapshotChanges, 'time' | 'event' | 'clock'>

/** The parts of a snapshot as one reader knows them, so that only changed parts are sent. */
export class SnapshotParts {
  readonly #closes = new PreviousCloses()
  readonly #curve: LiveCurve | undefined
  readonly #today = new DayGain()
  #account = ''
  #gain = ''
  readonly #positions = new ChangedRecords()
  readonly #prices = new ChangedRecords()
  #orders: ReadonlyMap<OrderId, Order> = new Map()
  #openOrders: number | undefined
  #lastSeq: number | undefined

  constructor(curve: CurvePeriod | undefined) {
    this.#curve = curve && new LiveCurve(curve)
  }

  /** The past of the curve may be another one. */
  restartCurve(): void {
    this.#curve?.restart()
    this.#today.restart()
  }

  /** The whole snapshot; `next` then returns what changed since. */
  async whole(captured: Captured): Promise<Omit<AccountSnapshotRecord, 'clock'>> {
    const {
      account,
      gain_today: gain = this.#gain,
      positions = [],
      orders = [],
      activities = [],
      prices = [],
      curve,
    } = await this.next(captured)
    return {
      ...snapshotMoment(captured),
      account: account ?? accountToWire(captured.account, captured.balances),
      gain_today: gain,
      positions,
      orders,
      open_orders: captured.openOrders,
      activities,
      prices,
      ...(curve && { curve }),
    }
  }

  /** The parts that changed since the last call. */
  async next(captured: Captured): Promise<Changes> {
    const account = accountToWire(captured.account, captured.balances)
    const text = JSON.stringify(account)
    const isSame = text === this.#account
    this.#account = text
    return {
      ...(!isSame && { account }),
      ...(await this.#nextGain(captured)),
      ...(await this.#nextPositions(captured)),
      ...this.#nextOrders(captured),
      ...(await this.#nextActivities(captured)),
      ...(await this.#nextPrices(captured)),
      ...(await this.#curve?.next(captured)),
    }
  }

  async #nextGain(captured: Captured): Promise<Pick<Changes, 'gain_today'>> {
    const gain = await this.#today.at(captured)
    const isSame = gain === this.#gain
    this.#gain = gain
    return isSame ? {} : { gain_today: gain }
  }

  async #nextPositions(captured: Captured): Promise<Pick<Changes, 'positions' | 'positions_ended'>> {
    const records = captured.positions.map((holding) =>
      positionToWire(captured.world, holding, this.#closes.of),
    )
    const { changed, ended } = this.#positions.take(await Promise.all(records))
    return {
      ...(changed.length > 0 && { positions: changed }),
      ...(ended.length > 0 && { positions_ended: ended }),
    }
  }

  /** An order that changes is a new record, so unchanged ones are found without comparing their fields. */
  #nextOrders({ orders, openOrders }: Captured): Pick<Changes, 'orders' | 'orders_ended' | 'open_orders'> {
    const known = this.#orders
    this.#orders = new Map(orders.map((order) => [order.id, order]))
    const changed = orders.filter((order) => known.get(order.id) !== order).map((order) => orderToWire(order))
    const ended = [...known.keys()].filter((id) => !this.#orders.has(id))
    const isSameCount = this.#openOrders === openOrders
    this.#openOrders = openOrders
    return {
      ...(changed.length > 0 && { orders: changed }),
      ...(ended.length > 0 && { orders_ended: ended }),
      ...(!isSameCount && { open_orders: openOrders }),
    }
  }

  async #nextActivities(captured: Captured): Promise<Pick<Changes, 'activities'>> {
    const { lastSeq } = captured.account
    if (lastSeq === this.#lastSeq) return {}
    this.#lastSeq = lastSeq
    return { activities: await newestActivities(captured) }
  }

  async #nextPrices(captured: Captured): Promise<Pick<Changes, 'prices'>> {
    const records = captured.prices.map((one) => pricesToWire(captured, one, this.#closes))
    const { changed } = this.#prices.take(await Promise.all(records))
    return changed.length > 0 ? { prices: changed } : {}
  }
}

/** The instant of a snapshot, and its last event. */
export const snapshotMoment = ({ at, event }: Captured): Pick<AccountSnapshotRecord, 'time' | 'event'> => ({
  time: formatInstant(at),
  event,
})

/** Records by symbol, and which of them changed since the last call. */
class ChangedRecords {
  #known = new Map<string, string>()

  take<Item extends { readonly symbol: string }>(
    records: readonly Item[],
  ): { readonly changed: readonly Item[]; readonly ended: readonly string[] } {
    const texts = new Map(records.map((one) => [one.symbol, JSON.stringify(one)]))
    const changed = records.filter(({ symbol }) => this.#known.get(symbol) !== texts.get(symbol))
    const ended = [...this.#known.keys()].filter((symbol) => !texts.has(symbol))
    this.#known = texts
    return { changed, ended }
  }
}
