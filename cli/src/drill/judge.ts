import type { Drill } from './catalogue.table.ts'
import type { Evidence, ObservedOrder } from './evidence.ts'

export const checks = ['one_order_per_id', 'shares', 'updates', 'end'] as const
export type DrillCheckName = (typeof checks)[number]

/** `passed`, `failed` with a reason, or `not_measured` with a reason. */
export type DrillVerdict = {
  readonly result: 'passed' | 'failed' | 'not_measured'
  readonly reason?: string
}

/** The verdict on one drill. */
export type DrillResult = {
  readonly drill: string
  readonly about: string
  /** `skipped`: the program never did what the drill disturbs. */
  readonly result: 'passed' | 'failed' | 'skipped'
  readonly reasons: readonly string[]
  /** The first request that the program would not have sent, or the last one. Only of a failed drill. */
  readonly wrong_at?: { readonly request: number; readonly at: string; readonly what: string } | undefined
  /** The command that runs only this drill. Only of a failed drill. */
  readonly repeat?: string
  readonly checks: Readonly<Record<DrillCheckName, DrillVerdict>>
  readonly seconds: number
  readonly faults_consumed: number
}

const passed: DrillVerdict = { result: 'passed' }
const failed = (reason: string): DrillVerdict => ({ result: 'failed', reason })
const MAY_DIFFER = 'the program may trade differently in this drill'
const notMeasured = (reason: string): DrillVerdict => ({ result: 'not_measured', reason })

/** Compares a run under a fault with the run without faults. */
export function judge(
  { name, about, expects }: Pick<Drill, 'name' | 'about' | 'expects'>,
  run: Evidence,
  baseline: Evidence,
): DrillResult {
  const verdicts: Record<DrillCheckName, DrillVerdict> = {
    one_order_per_id: expects === 'trades' ? oneOrderPerId(run, baseline) : oneOrderPerSentId(run),
    shares: expects === 'trades' ? sharesAsIntended(run, baseline) : notMeasured(MAY_DIFFER),
    updates: noUpdateMissed(run, baseline),
    end: endedAsBefore(run, baseline),
  }
  const consumed = run.consumed.reduce((sum, count) => sum + count, 0)
  const reasons = Object.values(verdicts).flatMap(({ result, reason }) =>
    result === 'failed' ? [reason!] : [],
  )
  const isMet = run.consumed.every((count) => count > 0) && run.isDisturbed !== false
  const isSkipped = !isMet && run.exit !== undefined
  const result = isSkipped ? 'skipped' : reasons.length === 0 ? 'passed' : 'failed'
  return {
    drill: name,
    about,
    result,
    ...(result === 'failed' && { wrong_at: firstWrong(run, baseline) }),
    reasons: isSkipped ? ['the program never did what this drill disturbs'] : reasons,
    checks: verdicts,
    seconds: run.seconds,
    faults_consumed: consumed,
  }
}

/** Every id that the program sent, and that the broker did not refuse, has an order. */
function oneOrderPerSentId(run: Evidence): DrillVerdict {
  const refused = new Set(
    run.placements.flatMap(({ status, clientOrderId }) => (isRefusal(status) ? [clientOrderId] : [])),
  )
  const placed = new Set(run.orders.map(({ clientOrderId }) => clientOrderId))
  const lost = run.placements.find(
    ({ clientOrderId: id }) => id !== undefined && !placed.has(id) && !refused.has(id),
  )
  if (!lost) return passed
  return failed(
    `the order ${lost.clientOrderId} got no clear response, and was not sent again under the same id`,
  )
}

/** Besides, no order was added and none is missing. */
function oneOrderPerId(run: Evidence, baseline: Evidence): DrillVerdict {
  const added = excess(run.orders, baseline.orders)
  if (added.length > 0)
    return failed(`orders that it does not place without faults: ${added.map(orderText).join(', ')}`)
  const sent = oneOrderPerSentId(run)
  if (sent.result === 'failed') return sent
  const missing = excess(baseline.orders, run.orders)
  if (missing.length === 0) return passed
  return failed(`orders that it gave up: ${missing.map(orderText).join(', ')}`)
}

/** Where the program went wrong: the placement of an order too many, or the first request that it does not send without faults. */
function firstWrong(run: Evidence, baseline: Evidence): DrillResult['wrong_at'] {
  const [added] = excess(run.orders, baseline.orders)
  const { requests } = run
  const placed = added ? requests.findIndex((one) => one.clientOrderId === added.clientOrderId) : -1
  // In a replay the times are those of the world, so they are the same too.
  const isReplayed = baseline.hasFinished !== undefined
  const other = requests.findIndex(({ what, at }, index) => {
    const before = baseline.requests[index]
    return what !== before?.what || (isReplayed && at !== before.at)
  })
  const index = placed >= 0 ? placed : other >= 0 ? other : requests.length - 1
  const request = requests[index]
  return request && { request: index + 1, at: request.at, what: request.what }
}

/** The broker decided against the order: it does not exist. Any other failure leaves that open. */
const isRefusal = (status: number | undefined): boolean =>
  status !== undefined && status >= 400 && status < 500 && status !== 408

/** The orders of one run that another run does not have, compared by their terms. */
function excess(
  orders: readonly ObservedOrder[],
  others: readonly ObservedOrder[],
): readonly ObservedOrder[] {
  const left = others.map(termsOf)
  return orders.flatMap((order) => {
    const at = left.indexOf(termsOf(order))
    if (at < 0) return [order]
    left.splice(at, 1)
    return []
  })
}

const orderText = (order: ObservedOrder): string => `${termsOf(order)} (${order.clientOrderId})`

const termsOf = ({ side, quantity, symbol }: ObservedOrder): string => `${side} ${quantity} ${symbol}`

function sharesAsIntended(run: Evidence, baseline: Evidence): DrillVerdict {
  const symbols = new Set([...run.shares.keys(), ...baseline.shares.keys()])
  const wrong = [...symbols].flatMap((symbol) => {
    const [has, intended] = [run.shares.get(symbol) ?? 0, baseline.shares.get(symbol) ?? 0]
    return has === intended ? [] : [`${has} shares of ${symbol} instead of ${intended}`]
  })
  return wrong.length === 0 ? passed : failed(wrong.join(', '))
}

function noUpdateMissed(run: Evidence, baseline: Evidence): DrillVerdict {
  if (baseline.updates.some(({ isKnown }) => !isKnown))
    return notMeasured('the program does not follow its orders to the end, even without faults')
  const missed = run.updates.filter(({ isKnown }) => !isKnown)
  return missed.length === 0
    ? passed
    : failed(`the program cannot know of ${missed.map(({ what }) => what).join(', ')}`)
}

function endedAsBefore(run: Evidence, baseline: Evidence): DrillVerdict {
  if (baseline.hasFinished === true && run.hasFinished === false)
    return failed(`the program ended before the end of the replay, with exit code ${run.exit}`)
  if (run.exit === baseline.exit) return passed
  if (run.exit === undefined)
    return failed(`the program did not end within ${Math.round(run.seconds)} seconds`)
  return failed(`the program ended with exit code ${run.exit} instead of ${baseline.exit}`)
}

/** Why a program cannot be drilled; undefined if it can. */
export function unfit({ exit, orders }: Evidence): string | undefined {
  if (exit === undefined)
    return 'the program does not end without faults: raise --limit, let it end by itself, or drill it in a replay with --from and --to'
  if (exit !== 0) return `the program ends with exit code ${exit} without faults`
  return orders.length === 0 ? 'the program placed no order without faults' : undefined
}

/** A program that trades differently by itself cannot be compared. */
export function differs(first: Evidence, second: Evidence): string | undefined {
  const [a, b] = [first, second].map(({ orders }) => orders.map(termsOf).sort().join(', ')) as [
    string,
    string,
  ]
  return a === b ? undefined : `the program traded differently in two runs without faults: ${a}; then ${b}`
}
