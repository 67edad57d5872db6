import { format, type Money, parseDecimal, type Quantity } from '../../../amount.ts'
import { apply } from '../../../apply.ts'
import { decode, encode } from '../../../encode.ts'
import type { BrokerEvent } from '../../../events.ts'
import type { AccountId, LedgerId, Ticker, WorldId } from '../../../ids.ts'
import type { Job } from '../../../jobs/job.ts'
import { customer, TRANSIT, USD } from '../../../ledger/chart.ts'
import { balance } from '../../../ledger/ledger.ts'
import { must } from '../../../testing/script-lines.ts'
import { TestWorld } from '../../../testing/world.ts'
import type { BookTransferRequest, SendBookTransfer } from '../commands.ts'
import { keyedCallOf } from '../idempotency.ts'
import type { BookTransferResponse, KeyedCall } from '../movements.ts'
import { responseTo } from '../transit.ts'

const NAMES = ['a', 'b'] as const
type Name = (typeof NAMES)[number]

/** One world, and what its query tables store: results that memory may drop. */
export class Side {
  readonly name: Name
  readonly world: TestWorld
  readonly ledgerId: LedgerId

  constructor(name: Name, lines: readonly string[]) {
    this.name = name
    this.world = new TestWorld()
    this.ledgerId = `ledger-${name}` as LedgerId
    for (const line of lines) this.world.run(line)
  }

  id(account: string): AccountId {
    return this.world.accounts.get(account) ?? (account as AccountId)
  }

  send(to: Side, from: string, account: string, terms: string): string {
    const [first = '', size] = terms.split(' ')
    const what: SendBookTransfer['what'] =
      size === undefined
        ? { kind: 'cash', amount: must(parseDecimal(first)) as Money }
        : { kind: 'shares', symbol: first as Ticker, quantity: must(parseDecimal(size)) as Quantity }
    const decision = this.world.submit({
      kind: 'sendBookTransfer',
      from: this.id(from),
      to: to.id(account),
      toWorld: to.name as WorldId,
      ledgerId: this.ledgerId,
      what,
    })
    return decision.ok ? decision.value.map(({ kind }) => kind).join(' ') : decision.reason.code
  }

  get pending(): readonly Job[] {
    return [...this.world.state.jobs.values()]
  }

  /** The response to a request, also to a repeated one. */
  receive(request: BookTransferRequest): BookTransferResponse {
    const { transitId } = request
    const earlier = this.#stored().get(transitId)
    const { ledgerId, world } = this
    const decision = world.submit({
      kind: 'receiveBookTransfer',
      ...request,
      ledgerId,
      ...(earlier && { earlier }),
    })
    const response = responseTo(world.state, transitId, earlier)
    if (!decision.ok || !response) throw new Error('a request has no response')
    return response
  }

  /** What a restart leaves: the state that the stored events lead to. */
  crash(): void {
    const { state, events } = this.world
    for (const part of Object.values(state)) if (part instanceof Map) part.clear()
    Object.assign(state, { seq: 0, agenda: { dues: [], slots: [] } })
    for (const event of events) apply(state, decode(encode(event)) as BrokerEvent)
    for (const { id: jobId } of this.pending)
      this.world.submit({ kind: 'failJob', jobId, problem: 'cut off' })
  }

  sum(asset: string, isCounted: (account: string) => boolean): bigint {
    let sum = 0n
    for (const [account, holdings] of this.world.state.ledger)
      if (isCounted(account)) for (const [name, amount] of holdings) if (name === asset) sum += amount
    return sum
  }

  get cost(): bigint {
    let sum = 0n
    for (const positions of this.world.state.positions.values())
      for (const { costBasis } of positions.values()) sum += costBasis
    return sum
  }

  #stored(): ReadonlyMap<string, KeyedCall> {
    const calls = new Map<string, KeyedCall>()
    for (const event of this.world.events)
      if (event.kind === 'bookTransferReceived' || event.kind === 'bookTransferRefused') {
        const { key, call } = keyedCallOf(event)!
        calls.set(key, call)
      }
    return calls
  }
}

const opening = ['trade AAPL 100', 'open A 1000 paper AAPL:10:700', 'open B 500']
/** Two worlds with accounts A and B. Only world a has TSLA. */
export const pair = (more: readonly string[] = []) => ({
  a: new Side('a', [...opening, 'trade TSLA 50', 'open C 0 paper TSLA:4:100']),
  b: new Side('b', [...opening, ...more]),
})

/** The request that the job of a book transfer sends. */
export function requestOf({ bookTransfer }: Job, from: Side): BookTransferRequest {
  const { transitId, from: sender, to, what } = bookTransfer!
  return { transitId: transitId!, fromWorld: from.name as WorldId, from: sender, to, what }
}

/** Settled cash and positions of an account. */
export const holdings = ({ world }: Side, account: string): string => {
  const id = world.accounts.get(account)!
  const positions = [...(world.state.positions.get(id)?.values() ?? [])]
  const cash = balance(world.state.ledger, customer(id, 'settled'), USD)
  return [
    format(cash),
    ...positions.map(
      ({ symbol, quantity, costBasis }) => `${format(quantity)} ${symbol}@${format(costBasis)}`,
    ),
  ].join(' ')
}

export const isTransit = (account: string): boolean => account === TRANSIT || account.startsWith('transit:')
export const isCustomer = (account: string): boolean => account.startsWith('customer:')
