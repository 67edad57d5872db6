import type { ActionId, ActionTerms, CivilDate, Command, ScheduleAction, Ticker } from '@quipu/core'
import type { Random } from '../../random.ts'
import { clockInNewYork } from '../checker/rules.ts'

const NANO = 1_000_000_000n
const DAY = 86_400n * NANO

export type ActionWish = { readonly tag?: string; readonly command: Command }

/** What can be acted on: symbols, and what was planned before. */
export type Acted = {
  readonly symbols: readonly Ticker[]
  readonly actions: readonly ActionId[]
  readonly now: bigint
}

/** A split, a dividend, a change of symbol or a delisting on one of the next days; now and then one is taken back. */
export function actionWish(random: Random, { symbols, actions, now }: Acted, n: number): ActionWish {
  if (actions.length > 0 && random.chance(0.15))
    return { command: { kind: 'cancelAction', actionId: random.pick(actions) } }
  const date = (days: number): CivilDate => clockInNewYork(now + BigInt(days) * DAY).date as CivilDate
  const days = random.pick([1, 1, 1, 2, 3])
  const exDate = date(days)
  const { tag, terms } = random.pick(KINDS)({
    random,
    n,
    exDate,
    payDate: date(days + random.pick([0, 0, 1, 5])),
  })
  const command: ScheduleAction = { kind: 'scheduleAction', symbol: random.pick(symbols), exDate, terms }
  return tag === undefined ? { command } : { tag, command }
}

type Case = {
  readonly random: Random
  readonly n: number
  readonly exDate: CivilDate
  readonly payDate: CivilDate
}
type Kind = (given: Case) => { readonly tag?: string; readonly terms: ActionTerms }

const split: Kind = ({ random }) => {
  const [newRate, oldRate] = random.pick([
    [2n, 1n],
    [3n, 2n],
    [7n, 5n],
    [1n, 2n],
    [2n, 7n],
  ] as const)
  return { terms: { kind: 'split', newRate: newRate * NANO, oldRate: oldRate * NANO } }
}
/** No other has this rate. */
const dividend: Kind = ({ random, n, exDate: recordDate, payDate }) => {
  const rate = BigInt(random.pick([0, 100_000, 400_000]) + 10_000 + n) * 1000n
  const terms = { kind: 'dividend', rate: rate as never, recordDate, payDate, special: false } as const
  return { tag: String(rate), terms }
}
const symbolChange: Kind = ({ n }) => {
  const tag = `NEW${String(n).padStart(6, '0')}`
  return { tag, terms: { kind: 'symbolChange', newSymbol: tag as Ticker } }
}
const delisting: Kind = ({ random }) => ({
  terms: { kind: 'delisting', ...(random.chance(0.7) && { price: (3n * NANO + 330_000_000n) as never }) },
})
const KINDS = [split, split, split, dividend, dividend, symbolChange, delisting]
