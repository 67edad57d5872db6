import { type Client, type ClientOptions, createClient, createQuipu, type TradeStream } from '@quipu/sdk'
import { withAccountId } from '@quipu/server/scenarios/problems.ts'
import type { WireScenario } from '@quipu/server/scenarios/scenario-file.ts'
import { orderKey, readJournal } from './journal.ts'

export type WireStep = NonNullable<WireScenario['steps']>[number]

/** An account of a scenario, and a client with its key. */
export type ScenarioActor = {
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

/** Long enough for any response of a local server; a lost one ends the wait. */
const TIMEOUT_MS = 3000

/** A client that sends each request once, so that a fault meets a known request. */
export const actorClient = (
  endpoint: Pick<ClientOptions, 'url' | 'fetch'>,
  keyId: string,
  secretKey: string,
): Client => createClient({ ...endpoint, keyId, secretKey, retries: 0, timeoutMs: TIMEOUT_MS })

type Run = (stage: Stage, actor: ScenarioActor, step: WireStep) => Promise<unknown>

/** An action with the value that a step has for it. */
const action =
  <Name extends keyof WireStep>(
    name: Name,
    run: (value: NonNullable<WireStep[Name]>, stage: Stage, actor: ScenarioActor) => Promise<unknown>,
  ): Run =>
  async (stage, actor, step) => {
    const value = step[name]
    if (value === undefined || value === null) throw new Error(`bug: a step has no ${name}`)
    return run(value, stage, actor)
  }

/** What each action of a step does. `check` is done by the runner. */
export const runAction: Readonly<Record<string, Run>> = {
  place: action('place', (body, _, { client }) => client.placeOrder({ body })),
  cancel: action('cancel', async (name, stage, actor) =>
    actor.client.cancelOrder({ params: { order_id: await orderId(stage, actor, name) } }),
  ),
  replace: action('replace', async ({ order, ...body }, stage, actor) =>
    actor.client.replaceOrder({ params: { order_id: await orderId(stage, actor, order) }, body }),
  ),
  close_position: action('close_position', (symbol, _, { client }) =>
    client.closePosition({ params: { symbol_or_asset_id: symbol } }),
  ),
  deposit: action('deposit', (amount, stage, actor) => transfer(stage, actor, 'INCOMING', amount)),
  withdraw: action('withdraw', (amount, stage, actor) => transfer(stage, actor, 'OUTGOING', amount)),
  mint: action('mint', (body, _, { client }) => client.postTokenizationMint({ body })),
  redeem: action('redeem', (body, { operator, world }, { accountId }) =>
    operator.simulateRedemption({ params: { world }, body: { ...body, account_id: accountId } }),
  ),
  listen: (stage, actor) => listen(stage, actor),
  market_event: action('market_event', (body, { operator, world }) =>
    operator.createMarketEvent({ params: { world }, body }),
  ),
  fault: action('fault', (fault, { operator, world, accounts }) =>
    operator.createFault({ params: { world }, body: withAccountId(fault, accounts) }),
  ),
  corporate_action: action('corporate_action', (body, { operator, world }) =>
    operator.createCorporateAction({ params: { world }, body }),
  ),
}

/** Reads the journal as operator, because a request of the account could meet a fault. */
async function orderId(
  { operator, world }: Stage,
  { accountId }: ScenarioActor,
  name: string,
): Promise<string> {
  const { orderIds } = await readJournal(operator, world)
  const id = orderIds.get(orderKey(accountId, name))
  if (id === undefined) throw new Error(`there is no order ${name}`)
  return id
}

const transfer = (
  { operator, world }: Stage,
  { accountId }: ScenarioActor,
  direction: 'INCOMING' | 'OUTGOING',
  amount: string | number,
): Promise<unknown> =>
  operator.createTransfer({
    params: { account_id: accountId },
    headers: { 'x-quipu-world': world },
    body: { transfer_type: 'ach', direction, amount: String(amount) },
  })

async function listen(
  { url, streams, updates }: Stage,
  { name, keyId, secretKey }: ScenarioActor,
): Promise<void> {
  const counts = updates.get(name) ?? new Map<string, number>()
  updates.set(name, counts)
  const stream = createQuipu({ url, keyId, secretKey }).streams.tradeUpdates()
  streams.push(stream)
  stream.onMessage(({ event }) => counts.set(event, (counts.get(event) ?? 0) + 1))
  await stream.subscribe()
}
