import assert from 'node:assert/strict'
import type {
  AccountId,
  ActionId,
  BrokerEvent,
  Decision,
  Digest,
  OrderId,
  PartnerId,
  RequestRedeem,
  ScheduleAction,
  TokenId,
  View,
} from '@quipu/core'
import { callKey } from '@quipu/core'
import { NotApplied } from '../../../broker/src/journal/not-applied.ts'
import { storedEntry } from '../../../broker/src/journal/stored-event.ts'
import type { QueryTables } from '../../../broker/src/query-tables/query-tables.ts'
import { CallRepeated, type Once } from '../../../broker/src/world/once.ts'
import { OutcomeUnknown } from '../../../broker/src/world/submitted.ts'
import type { World } from '../../../broker/src/world/world.ts'
import type { Random } from '../../support/random.ts'
import type { Acknowledgements, Attempt } from '../checker/acknowledgements.ts'
import { ObservedOrders, observedOrder } from '../checker/observed-orders.ts'
import type { SimulatedApi } from './api.ts'
import { HttpClients } from './http-clients.ts'
import { type ClientRequest, RequestGenerator } from './requests.ts'

type Client = { seq: number }
type Answered = { readonly decision: Decision; readonly seq: number }

/** Clients that send and repeat requests, and record the responses. */
export class Clients {
  readonly generator: RequestGenerator
  /** Tokens that a client received, and tokens whose revocation was acknowledged. */
  readonly tokens = { issued: new Set<Digest>(), revoked: new Set<TokenId>() }
  readonly #random: Random
  readonly #acknowledgements: Acknowledgements
  readonly #api: SimulatedApi
  readonly #clients: readonly Client[] = Array.from({ length: 6 }, () => ({ seq: 0 }))
  readonly #sent: ClientRequest[] = []
  readonly #delayed: ClientRequest[] = []
  readonly #pending = new Set<Promise<void>>()
  readonly #observed = new ObservedOrders()
  readonly #overHttp: HttpClients
  #responses = 0

  constructor(random: Random, acknowledgements: Acknowledgements, api: SimulatedApi) {
    this.#random = random
    this.#acknowledgements = acknowledgements
    this.#api = api
    this.generator = new RequestGenerator(random)
    this.#overHttp = new HttpClients(api, random, this.#observed)
  }

  /** Number of HTTP responses, received tokens and revoked tokens. */
  counts(): Record<string, number> {
    const { issued, revoked } = this.tokens
    return { httpResponses: this.#responses, tokens: issued.size, revokedTokens: revoked.size }
  }

  /** Sends a new request, an earlier one as after a lost response, or a delayed one. */
  sendNext(world: World): void {
    const random = this.#random
    const draw = random.next()
    const before = this.#sent.slice(-20)
    if (draw < 0.12 && before.length > 0) return this.send(world, random.pick(before))
    if (draw < 0.2 && this.#delayed.length > 0) return this.send(world, this.#delayed.shift()!)
    const request = this.generator.next(world)
    if (draw > 0.95) this.#delayed.push(request)
    else this.send(world, request)
    if (!request.isOnce) return
    this.#sent.push(request)
    if (draw > 0.9) this.send(world, request)
  }

  /** Sends a request to an engine that lost its world, from a client without a response of the newer engine. */
  sendToOlder(world: World): void {
    const request = this.generator.next(world)
    if (request.isOnce) this.#sent.push(request)
    this.#sendDirectly(world, request, { seq: 0 }, this.#acknowledgements.begin(request.tag))
  }

  /** Sends several OAuth requests at once, so that codes are used before they expire. */
  connect(world: World): void {
    for (let left = this.#random.pick([2, 6, 14]); left > 0; left--)
      this.send(world, this.generator.connect())
  }

  send(world: World, request: ClientRequest): void {
    const client = this.#random.pick(this.#clients)
    const attempt = this.#acknowledgements.begin(request.tag)
    if (this.#overHttp.supports(request.command) && this.#random.chance(0.5))
      this.#sendOverHttp(request, client, attempt)
    else this.#sendDirectly(world, request, client, attempt)
  }

  /** Reads acknowledged orders and checks that they exist and are not older. */
  read(world: World): void {
    const client = this.#random.pick(this.#clients)
    const { seq: floor } = client
    if (this.#random.chance(0.7)) {
      const response = this.#overHttp.read(this.#random.pick(this.generator.accounts))
      this.#follow(response.then((seq) => this.#receiveOverHttp(client, floor, seq)))
      return
    }
    const before = this.#observed.now()
    const order = this.#random.pick([...before.values()].slice(-20))
    if (!order) return
    this.#follow(
      world.engine
        .read((view) => view.orders.get(order.id as OrderId))
        .then(
          ({ value, seq }) => {
            this.#receive(client, floor, seq)
            if (value) this.#observed.take(observedOrder(value), before)
          },
          (error: unknown) => assert(isRefusal(error), error as Error),
        ),
    )
  }

  assertFound(world: World): Promise<void> {
    return this.#observed.assertFound(world)
  }

  /** Resolves when every request is answered. */
  async answered(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }

  /** Drops pending requests and closes their connections. */
  connectionLost(): void {
    this.#pending.clear()
    this.#api.closeConnections()
    this.#acknowledgements.connectionLost()
  }

  #sendDirectly(world: World, request: ClientRequest, client: Client, attempt: Attempt): void {
    const { seq: floor } = client
    this.#follow(
      this.#submit(world, request).then(
        ({ value: { decision, seq: first }, seq }) => {
          this.#receive(client, floor, seq)
          this.#acknowledgements.end(attempt, isGranted(decision) ? 'accepted' : 'refused')
          if (!decision.ok) return
          for (const [index, event] of decision.value.entries()) this.#record(first + index, event)
        },
        (error: unknown) => {
          if (error instanceof NotApplied) this.#acknowledgements.end(attempt, 'notApplied')
          else if (error instanceof OutcomeUnknown) this.#acknowledgements.end(attempt, 'unknown')
          else throw error
        },
      ),
    )
  }

  /** Submits like the API operations: entries that memory may have forgotten are read from the query tables first. */
  async #submit(world: World, { command, key }: ClientRequest): Promise<{ value: Answered; seq: number }> {
    const submit = (found: object, once?: Once<Answered>) =>
      world.commands.submit({ ...command, ...found }, answered, undefined, once)
    if (command.kind === 'placeOrder' || command.kind === 'replaceOrder')
      return world.storage.withEarlierOrder(command.accountId, command.clientOrderId!, (earlier) =>
        submit(earlier ? { earlier } : {}),
      )
    if (key === undefined) return submit({})
    const request = {
      holders: ['client'],
      ownerId: 'owner',
      operation: command.kind,
      key,
      bodyHash: 'aa',
    } as const
    const { engine } = world
    return world.storage
      .withArchived(
        async (queryTables) => ({
          archived: await queryTables.callByKey('client' as PartnerId, callKey(request)),
          byId: command.kind === 'requestRedeem' ? await this.#redeemNamed(queryTables, command) : undefined,
        }),
        ({ archived, byId }) =>
          submit(byId ? { earlierId: byId.id } : {}, { request, engine, archived, responseFor: () => '{}' }),
      )
      .catch((error: unknown) => {
        if (!(error instanceof CallRepeated)) throw error
        return { value: { decision: { ok: true, value: [] }, seq: error.seq }, seq: error.seq }
      })
  }

  async #redeemNamed(queryTables: QueryTables, { issuer, issuerRequestId }: RequestRedeem) {
    const accountId = this.generator.shares.issuers.get(issuer)!
    const found = await queryTables.requestByLabel(accountId, issuerRequestId)
    return found?.kind === 'redeem' ? found : undefined
  }

  #sendOverHttp({ command }: ClientRequest, client: Client, attempt: Attempt): void {
    const { seq: floor } = client
    this.#follow(
      this.#overHttp.send(command).then(({ outcome, seq, order, actionId }) => {
        this.#receiveOverHttp(client, floor, seq)
        this.#acknowledgements.end(attempt, outcome)
        if (actionId) this.#recordAction(actionId, command as ScheduleAction)
        if (!order) return
        this.generator.orders.push({ id: order.id as OrderId, accountId: order.accountId as AccountId })
        this.#observed.take(order)
      }),
    )
  }

  #follow(response: Promise<void>): void {
    const settled = response.finally(() => this.#pending.delete(settled))
    // `answered` rethrows the failure; until then it must not end the process.
    settled.catch(() => undefined)
    this.#pending.add(settled)
  }

  #receiveOverHttp(client: Client, floor: number, seq: number | undefined): void {
    if (seq === undefined) return
    this.#responses += 1
    this.#receive(client, floor, seq)
  }

  #receive(client: Client, floor: number, seq: number): void {
    assert(seq >= floor, `a client with event ${floor} received a response from event ${seq}`)
    client.seq = Math.max(client.seq, seq)
    this.#acknowledgements.seq = Math.max(this.#acknowledgements.seq, seq)
  }

  #recordAction(id: ActionId, { terms }: Pick<ScheduleAction, 'terms'>): void {
    this.generator.actions.push(id)
    if (terms.kind === 'symbolChange') this.generator.names.push(terms.newSymbol)
  }

  #record(seq: number, event: BrokerEvent): void {
    this.#acknowledgements.show(seq, storedEntry(event))
    const { accounts, keys, oauth, orders, shares } = this.generator
    if (event.kind === 'orderAccepted') {
      orders.push({ id: event.order.id, accountId: event.accountId as AccountId })
      this.#observed.take(observedOrder(event.order))
    }
    if (event.kind === 'mintRequested' || event.kind === 'redeemRequested')
      shares.requests.push(event.request.id)
    if (event.kind === 'accountOpened') accounts.push(event.accountId)
    if (event.kind === 'keyIssued') keys.push(event.sealed.keyId)
    if (event.kind === 'actionScheduled') this.#recordAction(event.action.id, { terms: event.action })
    if (event.kind === 'userAdded') oauth.users.push(event.userId)
    if (event.kind === 'tokenIssued' || event.kind === 'codeExchanged' || event.kind === 'tokenRefreshed') {
      oauth.addToken(event.tokenId, event.sealed.token)
      this.tokens.issued.add(event.sealed.token)
    }
    if (event.kind === 'tokenRevoked') this.tokens.revoked.add(event.tokenId)
    if (event.kind === 'grantRevoked') for (const id of event.revoked) this.tokens.revoked.add(id)
  }
}

/** A replayed code or refresh token is recorded as an event, but the caller gets no token. */
const isGranted = (decision: Decision): boolean =>
  decision.ok && decision.value.some(({ kind }) => kind !== 'codeReplayed' && kind !== 'refreshReplayed')

const isRefusal = (error: unknown): boolean => error instanceof NotApplied || error instanceof OutcomeUnknown

const answered = (view: View, decision: Decision): Answered => ({
  decision,
  seq: view.seq - (decision.ok ? decision.value.length : 0) + 1,
})
