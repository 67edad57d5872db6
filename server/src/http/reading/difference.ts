import type { InputOf, WorldDifferenceRecord } from '@quipu/contract'
import { type AccountId, format, formatInstant, type Instant, min, toMoney } from '@quipu/core'
import { instantOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'
import type { SomeHandlers } from '../context.ts'
import { entryOf } from '../sim/world-named.ts'
import { type Branch, type BranchState, branchHere, millisecondOf, type Tip } from './difference/branch.ts'
import { branchOf } from './difference/branches.ts'
import { commonPast } from './difference/common-past.ts'
import { type Both, differenceRows, isSameMarket } from './difference/rows.ts'

type Query = InputOf<'getWorldDifference'>['query']

export const differenceHandlers = {
  async getWorldDifference({ params, query }, context) {
    const entry = entryOf(context.services.worlds, params.world, context)
    const { against } = query
    if (against === params.world) throw invalid(`against: expected another world, received ${against}`)
    const branches = [branchHere(entry), await branchOf(context.services, against)] as const
    const tips = await Promise.all([branches[0].tip(), branches[1].tip()])
    const accounts = accountsFor(tips, query)
    const time = timeFor(tips, query)
    const common = await commonPast(branches, tips)
    const both = await Promise.all([
      stateOf(branches[0], { accountId: accounts[0], common, at: time, tip: tips[0] }),
      stateOf(branches[1], { accountId: accounts[1], common, at: time, tip: tips[1] }),
    ])
    context.state.seq = both[0].seq
    return toWire({ tips, accounts, time, common, both })
  },
} satisfies SomeHandlers

type Found = {
  readonly tips: readonly [Tip, Tip]
  readonly accounts: readonly [AccountId, AccountId]
  readonly time: Instant
  readonly common: number
  readonly both: Both
}

async function stateOf(branch: Branch, question: Parameters<Branch['state']>[0]): Promise<BranchState> {
  const state = await branch.state(question)
  const { at, common } = question
  if (common > 0 && millisecondOf(at) < millisecondOf(state.commonAt))
    throw invalid(
      `time: expected ${formatInstant(state.commonAt)}, the end of the common past, or later, received ${formatInstant(at)}`,
    )
  return state
}

/** The accounts that are compared: named ones, or the first of each world. */
function accountsFor([tip, other]: Found['tips'], query: Query): Found['accounts'] {
  const first = accountIn(tip, 'account_id', query.account_id)
  const isShared = query.against_account_id === undefined && other.accounts.includes(first)
  return [first, isShared ? first : accountIn(other, 'against_account_id', query.against_account_id)]
}

function accountIn({ world, accounts }: Tip, field: keyof Query, wanted: string | undefined): AccountId {
  const found = wanted === undefined ? accounts[0] : accounts.find((id) => id === wanted)
  if (found !== undefined) return found
  if (wanted !== undefined) throw refuse({ code: 'accountNotFound' })
  throw invalid(`${field}: expected an account to compare, and ${world} has none`)
}

/** The earlier tip, or an asked time that is not after it. */
function timeFor([tip, other]: Found['tips'], { time }: Query): Instant {
  const latest = min(tip.now, other.now)
  const at = time === undefined ? latest : instantOf(time)
  if (millisecondOf(at) > millisecondOf(latest))
    throw invalid(
      `time: expected at most ${formatInstant(latest)}, the earlier clock of the two, received ${formatInstant(at)}`,
    )
  for (const { isLive, now, world } of [tip, other])
    if (isLive && millisecondOf(at) < millisecondOf(now))
      throw invalid(
        `time: ${world} has a live market, which has no earlier prices than those of ${formatInstant(now)}`,
      )
  return at
}

const MILLISECOND = 1_000_000n

function toWire({ tips, accounts, time, common, both }: Found): WorldDifferenceRecord {
  const [state, other] = both
  const sideOf = (tip: Tip, accountId: AccountId, { seq, equity, cash }: BranchState) => ({
    world: tip.world,
    account_id: accountId,
    now: formatInstant(tip.now),
    event: seq,
    equity: format(toMoney(equity)),
    cash: format(toMoney(cash)),
  })
  const { rows, sum } = differenceRows(both)
  const change = other.equity - state.equity
  const isSame = isSameMarket(both)
  return {
    time: formatInstant(time),
    tips_apart_ms: Number((tips[1].now - tips[0].now) / MILLISECOND),
    world: sideOf(tips[0], accounts[0], state),
    against: sideOf(tips[1], accounts[1], other),
    common_past: common === 0 ? null : { event: common, time: formatInstant(state.commonAt) },
    same_market: isSame,
    rows,
    rest: { kind: isSame ? 'other' : 'market', equity_change: format(toMoney(change - sum)) },
    equity_change: format(toMoney(change)),
  }
}

const invalid = (problem: string) => refuse({ code: 'invalidParameter', problem })
