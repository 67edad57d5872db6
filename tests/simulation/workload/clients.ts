import assert from 'node:assert/strict'
import type {
  AccountId,
  ActionId,
  BrokerEvent,
  Decision,
  Digest,
  OrderId,
  ScheduleAction,
  TokenId,
  TokenizationRequest,
} from '@quipu/core'
import { entryOf } from '../../../server/src/journal/stored-event.ts'
import { NotApplied } from '../../../server/src/process/not-applied.ts'
import { OutcomeUnknown } from '../../../server/src/world/engine.ts'
import type { World } from '../../../server/src/world/world.ts'
import type { Random } from '../../random.ts'
import type { Promises, Try } from '../checker/promises.ts'
import { SeenOrders, seenOf } from '../checker/seen-orders.ts'
import type { Door } from './api.ts'
import { HttpClients } from './http-clients.ts'
import { type Wish, Wishes } from './requests.ts'

type Client = { seq: number }
type Answered = { readonly decision: Decision; readonly seq: number }

/** Clients that ask, ask again, and remember what they were told. */
export class Clients {
  readonly wishes: Wishes
  /** What someone was told of tokens: that they were issued, and that they are no more. */
  readonly tokens = { issued: new Set<Digest>(), revoked: new Set<TokenId>() }
  readonly #random: Random
  readonly #promises: Promises
  readonly #door: Door
  readonly #clients: readonly Client[] = Array.from({ length: 6 }, () => ({ seq: 0 }))
  readonly #wished: Wish[] = []
  readonly #late: Wish[] = []
  readonly #underWay = new Set<Promise<void>>()
  readonly #seen = new SeenOrders()
  readonly #overHttp: HttpClients
  #answers = 0

  constructor(random: Random, promises: Promises, door: Door) {
    this.#random = random
    this.#promises = promises
    this.#door = door
    this.wishes = new Wishes(random)
    this.#overHttp = new HttpClients(door, random, this.#seen)
  }

  /** Answers that came over HTTP; tokens that someone was given, and was told are no more. */
  counts(): Record<string, number> {
    const { issued, revoked } = this.tokens
    return { httpAnswers: this.#answers, tokens: issued.size, revokedTokens: revoked.size }
  }

  /** A new wish; one from before, as after a lost answer; or one that was delayed on its way. */
  ask(world: World): void {
    const random = this.#random
    const luck = random.next()
    const before = this.#wished.slice(-20)
    if (luck < 0.12 && before.length > 0) return this.send(world, random.pick(before))
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
    this.#sendDirectly(world, wish, { seq: 0 }, this.#promises.try(wish.tag))
  }

  /** Apps and people at once, so that codes are used while they are good. */
  connect(world: World): void {
    for (let left = this.#random.pick([2, 6, 14]); left > 0; left--) this.send(world, this.wishes.connect())
  }

  send(world: World, wish: Wish): void {
    const client = this.#random.pick(this.#clients)
    const made = this.#promises.try(wish.tag)
    if (this.#overHttp.takes(wish.command) && this.#random.chance(0.5)) this.#sendOverHttp(wish, client, made)
    else this.#sendDirectly(world, wish, client, made)
  }

  /** Looks at what was acknowledged: it is there, and has not gone back. */
  look(world: World): void {
    const client = this.#random.pick(this.#clients)
    const { seq: floor } = client
    if (this.#random.chance(0.7)) {
      const answer = this.#overHttp.look(this.#random.pick(this.wishes.accounts))
      this.#follow(answer.then((seq) => this.#toldOverHttp(client, floor, seq)))
      return
    }
    const before = this.#seen.now()
    const of = this.#random.pick([...before.values()].slice(-20))
    if (!of) return
    this.#follow(
      world
        .read((view) => view.orders.get(of.id as OrderId))
        .then(
          ({ value, seq }) => {
            this.#told(client, floor, seq)
            if (value) this.#seen.take(seenOf(value), before)
          },
          (error: unknown) => assert(isRefusal(error), error as Error),
        ),
    )
  }

  assertFound(world: World): Promise<void> {
    return this.#seen.assertFound(world)
  }

  /** Resolves when every question was answered. */
  async answered(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  /** Nobody is answered any more. */
  lostTouch(): void {
    this.#underWay.clear()
    this.#door.hangUp()
  }

  #sendDirectly(world: World, wish: Wish, client: Client, made: Try): void {
    const { seq: floor } = client
    this.#follow(
      this.#asked(world, wish).then(
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

  /** As the operations do it: what memory may have let go is looked up in the views first. */
  async #asked(world: World, { command }: Wish): Promise<{ value: Answered; seq: number }> {
    const submit = (found: object) =>
      world.submit({ ...command, ...found }, (view, decision) => ({
        decision,
        seq: view.seq - (decision.ok ? decision.value.length : 0) + 1,
      }))
    if (command.kind === 'placeOrder' || command.kind === 'replaceOrder')
      return world.withEarlierOrder(command.accountId, command.clientOrderId!, (earlier) =>
        submit(earlier ? { earlier } : {}),
      )
    if (command.kind !== 'requestMint' && command.kind !== 'requestRedeem') return submit({})
    const { key } = command.idempotency!
    const isMint = command.kind === 'requestMint'
    const accountId = isMint ? command.accountId : this.wishes.shares.issuers.get(command.issuer)!
    return world.withArchived(
      async (views) => ({
        byKey: await views.requestByKey(accountId, key),
        byId: isMint ? undefined : await views.requestByLabel(accountId, key),
      }),
      ({ byKey, byId }) =>
        submit({
          ...(byKey ? { earlier: earlierOf(byKey) } : {}),
          ...(byId?.kind === 'redeem' ? { earlierId: byId.id } : {}),
        }),
    )
  }

  #sendOverHttp({ command }: Wish, client: Client, made: Try): void {
    const { seq: floor } = client
    this.#follow(
      this.#overHttp.send(command).then(({ outcome, seq, order, actionId }) => {
        this.#toldOverHttp(client, floor, seq)
        this.#promises.ended(made, outcome)
        if (actionId) this.#learnAction(actionId, command as ScheduleAction)
        if (!order) return
        this.wishes.orders.push({ id: order.id as OrderId, accountId: order.accountId as AccountId })
        this.#seen.take(order)
      }),
    )
  }

  #follow(answer: Promise<void>): void {
    const over = answer.finally(() => this.#underWay.delete(over))
    // Whoever waits for the answers gets the failure; until then it must not end the process.
    over.catch(() => undefined)
    this.#underWay.add(over)
  }

  #toldOverHttp(client: Client, floor: number, seq: number | undefined): void {
    if (seq === undefined) return
    this.#answers += 1
    this.#told(client, floor, seq)
  }

  #told(client: Client, floor: number, seq: number): void {
    assert(seq >= floor, `a client that had seen ${floor} was answered from ${seq}`)
    client.seq = Math.max(client.seq, seq)
    this.#promises.seq = Math.max(this.#promises.seq, seq)
  }

  #learnAction(id: ActionId, { terms }: Pick<ScheduleAction, 'terms'>): void {
    this.wishes.actions.push(id)
    if (terms.kind === 'symbolChange') this.wishes.names.push(terms.newSymbol)
  }

  #learn(seq: number, event: BrokerEvent): void {
    this.#promises.show(seq, entryOf(event).open)
    const { accounts, keys, oauth, orders, shares } = this.wishes
    if (event.kind === 'orderAccepted') {
      orders.push({ id: event.order.id, accountId: event.accountId as AccountId })
      this.#seen.take(seenOf(event.order))
    }
    if (event.kind === 'mintRequested' || event.kind === 'redeemRequested')
      shares.requests.push(event.request.id)
    if (event.kind === 'accountOpened') accounts.push(event.accountId)
    if (event.kind === 'keyIssued') keys.push(event.sealed.keyId)
    if (event.kind === 'actionScheduled') this.#learnAction(event.action.id, { terms: event.action })
    if (event.kind === 'personAdded') oauth.users.push(event.personId)
    if (event.kind === 'tokenIssued' || event.kind === 'codeExchanged' || event.kind === 'tokenRefreshed') {
      oauth.learn(event.tokenId, event.sealed.token)
      this.tokens.issued.add(event.sealed.token)
    }
    if (event.kind === 'tokenRevoked') this.tokens.revoked.add(event.tokenId)
    if (event.kind === 'grantRevoked') for (const id of event.revoked) this.tokens.revoked.add(id)
  }
}

/** What serves once and comes again leads to an event, and the caller gets nothing by it. */
const isGranted = (decision: Decision): boolean =>
  decision.ok && decision.value.some(({ kind }) => kind !== 'codeReplayed' && kind !== 'refreshReplayed')

const isRefusal = (error: unknown): boolean => error instanceof NotApplied || error instanceof OutcomeUnknown

const earlierOf = ({ id, idempotency, status }: TokenizationRequest) => ({
  requestId: id,
  bodyHash: idempotency!.bodyHash,
  isRejected: status === 'rejected',
})
