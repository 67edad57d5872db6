import assert from 'node:assert/strict'
import {
  type AccountId,
  type BrokerEvent,
  type Decision,
  encode,
  type Order,
  type OrderId,
  type TokenizationRequest,
} from '@quipu/core'
import { NotApplied, OutcomeUnknown } from '../../server/src/engine.ts'
import { entryOf } from '../../server/src/stored-event.ts'
import type { World } from '../../server/src/world.ts'
import type { Dice } from '../dice.ts'
import { type Wish, Wishes } from './asks.ts'
import type { Promises } from './promises.ts'

type Client = { seq: number }
type Answered = { readonly decision: Decision; readonly seq: number }

/** Clients that ask, ask again, and remember what they were told. */
export class Clients {
  readonly wishes: Wishes
  readonly #dice: Dice
  readonly #promises: Promises
  readonly #clients: readonly Client[] = Array.from({ length: 6 }, () => ({ seq: 0 }))
  readonly #wished: Wish[] = []
  readonly #late: Wish[] = []
  readonly #underWay = new Set<Promise<void>>()
  /** The most that anyone was told of each order. */
  readonly #known = new Map<OrderId, Order>()

  constructor(dice: Dice, promises: Promises) {
    this.#dice = dice
    this.#promises = promises
    this.wishes = new Wishes(dice)
  }

  /** A new wish; one from before, as after a lost answer; or one that was delayed on its way. */
  ask(world: World): void {
    const dice = this.#dice
    const luck = dice.next()
    const before = this.#wished.slice(-20)
    if (luck < 0.12 && before.length > 0) return this.send(world, dice.pick(before))
    if (luck < 0.2 && this.#late.length > 0) return this.send(world, this.#late.shift()!)
    const wish = this.wishes.next(world)
    if (luck > 0.95) this.#late.push(wish)
    else this.send(world, wish)
    if (!wish.isOnce) return
    this.#wished.push(wish)
    if (luck > 0.9) this.send(world, wish)
  }

  /** As someone who has not heard that another engine has the world, and so has not been answered by that one. */
  askOlder(world: World): void {
    const wish = this.wishes.next(world)
    if (wish.isOnce) this.#wished.push(wish)
    this.send(world, wish, { seq: 0 })
  }

  send(world: World, wish: Wish, client = this.#dice.pick(this.#clients)): void {
    const floor = client.seq
    const made = this.#promises.try(wish.tag)
    this.#follow(
      asked(world, wish).then(
        ({ value: { decision, seq: first }, seq }) => {
          this.#told(client, floor, seq)
          this.#promises.ended(made, isGranted(decision) ? 'accepted' : 'refused')
          if (!decision.ok) return
          for (const [index, event] of decision.value.entries()) this.#learn(first + index, event)
        },
        (error: unknown) => {
          if (error instanceof NotApplied) this.#promises.ended(made, 'notApplied')
          else if (error instanceof OutcomeUnknown) this.#promises.ended(made, 'unknown')
          else throw error
        },
      ),
    )
  }

  /** Looks at an order that was acknowledged: it is there, and has not gone back. */
  look(world: World): void {
    const client = this.#dice.pick(this.#clients)
    const of = this.#dice.pick([...this.#known.values()].slice(-20))
    if (!of) return
    const floor = client.seq
    const inMemory = world.read((view) => view.orders.get(of.id))
    this.#follow(
      inMemory.then(
        ({ value, seq }) => {
          this.#told(client, floor, seq)
          if (value) this.#seen(value)
        },
        (error: unknown) => assert(isRefusal(error), error as Error),
      ),
    )
  }

  /** Every acknowledged order is found, in memory or in the views. */
  async assertFound(world: World): Promise<void> {
    for (const { id, accountId, clientOrderId } of this.#known.values()) {
      const order = world.view.orders.get(id) ?? (await world.views.orderByClientId(accountId, clientOrderId))
      assert(order, `order ${id} was acknowledged, and neither memory nor the views have it`)
      this.#seen(order)
    }
  }

  /** Resolves when every question was answered. */
  async answered(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  /** Nobody is answered any more. */
  lostTouch(): void {
    this.#underWay.clear()
  }

  #follow(answer: Promise<void>): void {
    const over = answer.finally(() => this.#underWay.delete(over))
    // Whoever waits for the answers gets the failure; until then it must not end the process.
    over.catch(() => undefined)
    this.#underWay.add(over)
  }

  #told(client: Client, floor: number, seq: number): void {
    assert(seq >= floor, `a client that had seen ${floor} was answered from ${seq}`)
    client.seq = Math.max(client.seq, seq)
    this.#promises.seq = Math.max(this.#promises.seq, seq)
  }

  #learn(seq: number, event: BrokerEvent): void {
    this.#promises.show(seq, entryOf(event).open)
    const { accounts, keys, tokens, orders } = this.wishes
    if (event.kind === 'orderAccepted') {
      orders.push({ id: event.order.id, accountId: event.accountId as AccountId })
      this.#seen(event.order)
    }
    if (event.kind === 'accountOpened') accounts.push(event.accountId)
    if (event.kind === 'keyIssued') keys.push(event.sealed.keyId)
    if (event.kind === 'tokenIssued') tokens.push(event.tokenId)
  }

  #seen(order: Order): void {
    const before = this.#known.get(order.id)
    if (before) {
      assert.equal(order.clientOrderId, before.clientOrderId)
      assert(order.filledQuantity >= before.filledQuantity, `order ${order.id} is less filled than before`)
      if (ENDED.test(before.status)) assert.equal(order.status, before.status, 'an ended order stays so')
      assert(order.updatedAt >= before.updatedAt, `${encode(order)} is older than ${encode(before)}`)
    }
    this.#known.set(order.id, order)
  }
}

const ENDED = /^(filled|canceled|expired)$/

/** A code that comes again leads to an event, and the caller gets nothing by it. */
const isGranted = (decision: Decision): boolean =>
  decision.ok && decision.value.some(({ kind }) => kind !== 'codeReplayed')

const isRefusal = (error: unknown): boolean => error instanceof NotApplied || error instanceof OutcomeUnknown

/** As the operations do it: what memory may have let go is looked up in the views first. */
async function asked(world: World, { command }: Wish): Promise<{ value: Answered; seq: number }> {
  const submit = (found: object) =>
    world.submit({ ...command, ...found }, (view, decision) => ({
      decision,
      seq: view.seq - (decision.ok ? decision.value.length : 0) + 1,
    }))
  if (command.kind === 'placeOrder')
    return world.withEarlier(command.accountId, command.clientOrderId!, (earlier) =>
      submit(earlier ? { earlier } : {}),
    )
  if (command.kind === 'requestMint' && command.idempotency) {
    const { accountId, idempotency } = command
    return world.withFinding(
      (views) => views.requestByKey(accountId, idempotency.key),
      (known) => submit(known ? { earlier: earlierOf(known) } : {}),
    )
  }
  return submit({})
}

const earlierOf = ({ id, idempotency, status }: TokenizationRequest) => ({
  requestId: id,
  bodyHash: idempotency!.bodyHash,
  isRejected: status === 'rejected',
})
