import type { ActionId, ActionTerms, CivilDate, Command, ScheduleAction, Ticker } from '@quipu/core'
import type { Random } from '../../support/random.ts'
import { newYorkClock } from '../checker/rules.ts'

const NANO = 1_000_000_000n
const DAY = 86_400n * NANO

export type ActionRequest = { readonly tag?: string; readonly command: Command }

/** Symbols for new actions, and scheduled actions that can be canceled. */
export type ActionInput = {
  readonly symbols: readonly Ticker[]
  readonly actions: readonly ActionId[]
  readonly now: bigint
}

/** A split, a dividend, a symbol change or a delisting on one of the next days, or the cancel of an action. */
export function randomAction(
  random: Random,
  { symbols, actions, now }: ActionInput,
  n: number,
): ActionRequest {
  if (actions.length > 0 && random.chance(0.15))
    return { command: { kind: 'cancelAction', actionId: random.pick(actions) } }
  const date = (days: number): CivilDate => newYorkClock(now + BigInt(days) * DAY).date as CivilDate
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
type Kind = (input: Case) => { readonly tag?: string; readonly terms: ActionTerms }

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
/** Each dividend has a unique rate. */
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
