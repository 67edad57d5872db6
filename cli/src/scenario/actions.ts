import { type Client, type ClientOptions, createClient, createQuipu, type TradeStream } from '@quipu/sdk'
import { withAccountId } from '@quipu/server/scenarios/problems.ts'
import type { WireScenario } from '@quipu/server/scenarios/scenario-file.ts'
import { orderKey, readJournal } from './journal.ts'

export type WireStep = NonNullable<WireScenario['steps']>[number]

/** An account of a scenario, and a client with its key. */
export type Actor = {
  readonly name: string
  readonly accountId: string
  readonly keyId: string
  readonly secretKey: string
  readonly client: Client
}

/** Where the steps of a scenario act. */
export type Stage = {
  readonly url: string
  readonly operator: Client
  readonly world: string
  /** Account ids by name. */
  readonly accounts: ReadonlyMap<string, string>
  readonly streams: TradeStream[]
  /** Trade updates received, by account name and event. */
  readonly updates: Map<string, Map<string, number>>
}

/** Long enough for any answer of a local server; a lost one ends the wait. */
const TIMEOUT_MS = 3000

/** A client that sends each request once, so that a fault meets a known request. */
export const actorClient = (
  endpoint: Pick<ClientOptions, 'url' | 'fetch'>,
  keyId: string,
  secretKey: string,
): Client => createClient({ ...endpoint, keyId, secretKey, retries: 0, timeoutMs: TIMEOUT_MS })

type Run = (stage: Stage, actor: Actor, step: WireStep) => Promise<unknown>

/** What each action of a step does. `check` is done by the runner. */
export const runAction: Readonly<Record<string, Run>> = {
  place: (_, { client }, { place }) => client.placeOrder({ body: place! }),
  cancel: async (stage, actor, { cancel }) =>
    actor.client.cancelOrder({ params: { order_id: await orderId(stage, actor, cancel!) } }),
  replace: async (stage, actor, { replace }) => {
    const { order, ...body } = replace!
    return actor.client.replaceOrder({ params: { order_id: await orderId(stage, actor, order) }, body })
  },
  close_position: (_, { client }, { close_position: symbol }) =>
    client.closePosition({ params: { symbol_or_asset_id: symbol! } }),
  deposit: (stage, actor, { deposit }) => transfer(stage, actor, 'INCOMING', deposit!),
  withdraw: (stage, actor, { withdraw }) => transfer(stage, actor, 'OUTGOING', withdraw!),
  mint: (_, { client }, { mint }) => client.postTokenizationMint({ body: mint! }),
  redeem: ({ operator, world }, { accountId }, { redeem }) =>
    operator.simulateRedemption({ params: { world }, body: { ...redeem!, account_id: accountId } }),
  listen: (stage, actor) => listen(stage, actor),
  market_event: ({ operator, world }, _, { market_event: body }) =>
    operator.createMarketEvent({ params: { world }, body: body! }),
  fault: ({ operator, world, accounts }, _, { fault }) =>
    operator.createFault({ params: { world }, body: withAccountId(fault!, accounts) }),
  corporate_action: ({ operator, world }, _, { corporate_action: body }) =>
    operator.createCorporateAction({ params: { world }, body: body! }),
}

/** Reads the journal as operator, because a request of the account could meet a fault. */
async function orderId({ operator, world }: Stage, { accountId }: Actor, name: string): Promise<string> {
  const { orderIds } = await readJournal(operator, world)
  const id = orderIds.get(orderKey(accountId, name))
  if (id === undefined) throw new Error(`there is no order ${name}`)
  return id
}

const transfer = (
  { operator, world }: Stage,
  { accountId }: Actor,
  direction: 'INCOMING' | 'OUTGOING',
  amount: string | number,
): Promise<unknown> =>
  operator.createTransfer({
    params: { account_id: accountId },
    headers: { 'x-quipu-world': world },
    body: { transfer_type: 'ach', direction, amount: String(amount) },
  })

async function listen({ url, streams, updates }: Stage, { name, keyId, secretKey }: Actor): Promise<void> {
  const counts = updates.get(name) ?? new Map<string, number>()
  updates.set(name, counts)
  const stream = createQuipu({ url, keyId, secretKey }).streams.tradeUpdates()
  streams.push(stream)
  stream.onMessage(({ event }) => counts.set(event, (counts.get(event) ?? 0) + 1))
  await stream.subscribe()
}
